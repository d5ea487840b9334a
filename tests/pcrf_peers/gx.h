/* What the clients on freeDiameter have in common: AVPs by name, and the application Gx. */

#ifndef GX_H
#define GX_H

#include <freeDiameter/extension.h>
#include <string.h>

#define GX 16777238
#define TGPP 10415

static struct dict_object *gx_model(enum dict_object_type type, int by, const char *name)
{
	struct dict_object *model = NULL;
	if (fd_dict_search(fd_g_config->cnf_dict, type, by, name, &model, ENOENT)) {
		printf("GX the dictionary lacks %s\n", name);
		fflush(stdout);
		exit(1);
	}
	return model;
}

static struct avp *gx_add(msg_or_avp *parent, struct dict_object *model)
{
	struct avp *avp = NULL;
	if (fd_msg_avp_new(model, 0, &avp) || fd_msg_avp_add(parent, MSG_BRW_LAST_CHILD, avp)) {
		printf("GX no room for an AVP\n");
		fflush(stdout);
		exit(1);
	}
	return avp;
}

/* Each place looks its name up once: a search costs more than the AVP. Only one thread builds requests. */
#define gx_once(type, by, name) ({ \
	static struct dict_object *found; \
	if (!found) \
		found = gx_model(type, by, name); \
	found; \
})
#define avp_model(name) gx_once(DICT_AVP, AVP_BY_NAME_ALL_VENDORS, name)

#define add(parent, name) gx_add(parent, avp_model(name))
#define set(parent, name, ...) fd_msg_avp_setvalue(add(parent, name), &(union avp_value){__VA_ARGS__})
#define set_octets(parent, name, value, length) \
	set(parent, name, .os = {.data = (uint8_t *)(value), .len = (length)})
#define set_text(parent, name, value) set_octets(parent, name, value, strlen(value))
#define set_u32(parent, name, value) set(parent, name, .u32 = (value))
#define set_u64(parent, name, value) set(parent, name, .u64 = (value))

/* The beginning of a CCR. */
static struct msg *gx_request(const char *session, const char *realm, uint32_t type, uint32_t number)
{
	struct msg *msg = NULL;
	struct msg_hdr *header;
	fd_msg_new(gx_once(DICT_COMMAND, CMD_BY_NAME, "Credit-Control-Request"), MSGFL_ALLOC_ETEID, &msg);
	fd_msg_hdr(msg, &header);
	header->msg_appl = GX;
	set_text(msg, "Session-Id", session);
	set_u32(msg, "Auth-Application-Id", GX);
	fd_msg_add_origin(msg, 0);
	set_text(msg, "Destination-Realm", realm);
	set_u32(msg, "CC-Request-Type", type);
	set_u32(msg, "CC-Request-Number", number);
	return msg;
}

static void gx_subscription(struct msg *msg, uint32_t type, const char *text)
{
	struct avp *group = add(msg, "Subscription-Id");
	set_u32(group, "Subscription-Id-Type", type);
	set_text(group, "Subscription-Id-Data", text);
}

/* Makes the application known, and has RAR go to a function. */
static int gx_begin(int (*on_push)(struct msg **, struct avp *, struct session *, void *, enum disp_action *),
		    struct disp_hdl **handle)
{
	struct dict_object *vendor, *application;
	struct dict_application_data data = {GX, "3GPP Gx"};
	struct disp_when when = {0};
	CHECK_FCT(fd_dict_search(fd_g_config->cnf_dict, DICT_VENDOR, VENDOR_BY_ID, &(vendor_id_t){TGPP}, &vendor, ENOENT));
	if (fd_dict_search(fd_g_config->cnf_dict, DICT_APPLICATION, APPLICATION_BY_ID, &data.application_id, &application, ENOENT))
		CHECK_FCT(fd_dict_new(fd_g_config->cnf_dict, DICT_APPLICATION, &data, vendor, &application));
	CHECK_FCT(fd_dict_search(fd_g_config->cnf_dict, DICT_COMMAND, CMD_BY_NAME, "Re-Auth-Request", &when.command, ENOENT));
	CHECK_FCT(fd_disp_register(on_push, DISP_HOW_CC, &when, NULL, handle));
	return fd_disp_app_support(application, vendor, 1, 0);
}

#endif
