/* A packet gateway as an extension of freeDiameter: CCR-I, CCR-U, CCR-T, and RAR answered with RAA.
 *
 * Its parameter in the configuration is IMSI,APN. It prints one line that begins with GX for each message, and waits for
 * `update OCTETS`, `push` or `terminate` on its input. */

#include "gx.h"
#include <semaphore.h>

static char imsi[32], apn[64], session[96];
static sem_t answered, pushed;
static pthread_t thread;
static struct disp_hdl *handle;

static void text(char *out, size_t size, const char *more, size_t length)
{
	size_t have = strlen(out);
	snprintf(out + have, size - have, "%s%.*s", have ? "," : "", (int)length, more);
}

static void number(char *out, size_t size, unsigned long long value)
{
	char digits[24];
	text(out, size, digits, (size_t)snprintf(digits, sizeof digits, "%llu", value));
}

struct told { char result[16], install[256], remove[256], triggers[64], grant[32], failed[32]; };

static void walk(msg_or_avp *parent, struct told *told, int inside)
{
	struct avp *avp = NULL;
	for (fd_msg_browse(parent, MSG_BRW_FIRST_CHILD, &avp, NULL); avp; fd_msg_browse(avp, MSG_BRW_NEXT, &avp, NULL)) {
		struct avp_hdr *h;
		if (fd_msg_avp_hdr(avp, &h))
			continue;
		unsigned vendor = h->avp_flags & AVP_FLAG_VENDOR ? h->avp_vendor : 0;
		if (inside == 279)
			number(told->failed, sizeof told->failed, h->avp_code);
		if (h->avp_value && (h->avp_code == 268 || h->avp_code == 298) && !vendor)
			number(told->result, sizeof told->result, h->avp_value->u32);
		else if (h->avp_value && h->avp_code == 1006 && vendor == TGPP)
			number(told->triggers, sizeof told->triggers, (unsigned)h->avp_value->i32);
		else if (h->avp_value && h->avp_code == 421 && inside == 1067)
			number(told->grant, sizeof told->grant, h->avp_value->u64);
		else if (h->avp_value && h->avp_code == 1005 && vendor == TGPP)
			text(inside == 1002 ? told->remove : told->install, sizeof told->install,
			     (char *)h->avp_value->os.data, h->avp_value->os.len);
		else
			walk(avp, told, inside ? inside : (int)h->avp_code);
	}
}

static void print(const char *kind, struct msg *msg)
{
	struct told told = {{0}};
	walk(msg, &told, 0);
	printf("GX %s result=%s install=%s remove=%s triggers=%s grant=%s failed=%s\n", kind, told.result, told.install,
	       told.remove, told.triggers, told.grant, told.failed);
	fflush(stdout);
}

static void on_answer(void *kind, struct msg **msg)
{
	print(kind, *msg);
	fd_msg_free(*msg);
	*msg = NULL;
	sem_post(&answered);
}

static int on_push(struct msg **msg, struct avp *avp, struct session *s, void *opaque, enum disp_action *act)
{
	print("RAR", *msg);
	if (fd_msg_new_answer_from_req(fd_g_config->cnf_dict, msg, 0)
	    || fd_msg_rescode_set(*msg, "DIAMETER_SUCCESS", NULL, NULL, 1))
		return EINVAL;
	*act = DISP_ACT_SEND;
	sem_post(&pushed);
	return 0;
}

static void request(char *kind, uint32_t type, uint32_t request_number, uint64_t octets)
{
	struct msg *msg = gx_request(session, "localdomain", type, request_number);
	struct avp *group, *used;
	gx_subscription(msg, 1, imsi);
	if (*apn)
		set_text(msg, "Called-Station-Id", apn);
	set_text(msg, "3GPP-SGSN-MCC-MNC", "00101");
	if (type == 3)
		set_u32(msg, "Termination-Cause", 1);
	if (octets) {
		set_u32(msg, "Event-Trigger", 33);
		group = add(msg, "Usage-Monitoring-Information");
		set_text(group, "Monitoring-Key", "mk-gold");
		used = add(group, "Used-Service-Unit");
		set_u64(used, "CC-Total-Octets", octets);
		set_u32(group, "Usage-Monitoring-Level", 0);
	}
	fd_msg_send(&msg, on_answer, kind);
	sem_wait(&answered);
}

static void *run(void *unused)
{
	char line[64];
	uint32_t next = 1;
	struct peer_hdr *peer = NULL;
	fd_core_waitstartcomplete();
	while (fd_peer_getbyid("pcrf.localdomain", 16, 0, &peer) || !peer || fd_peer_get_state(peer) != STATE_OPEN)
		usleep(20000);
	snprintf(session, sizeof session, "%s;%ld;%d", fd_g_config->cnf_diamid, (long)time(NULL), getpid());
	request("I", 1, 0, 0);
	while (fgets(line, sizeof line, stdin)) {
		if (!strncmp(line, "update ", 7))
			request("U", 2, next++, strtoull(line + 7, NULL, 10));
		else if (!strncmp(line, "push", 4))
			sem_wait(&pushed);
		else if (!strncmp(line, "terminate", 9))
			request("T", 3, next, 0);
	}
	fd_core_shutdown();
	return unused;
}

static int begin(char *parameter)
{
	sscanf(parameter, "%31[^,],%63s", imsi, apn);
	sem_init(&answered, 0, 0);
	sem_init(&pushed, 0, 0);
	CHECK_FCT(gx_begin(on_push, &handle));
	return pthread_create(&thread, NULL, run, NULL);
}

void fd_ext_fini(void)
{
	fd_disp_unregister(&handle, NULL);
}

EXTENSION_ENTRY("gx_client", begin, "dict_dcca_3gpp");
