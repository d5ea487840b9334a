/* The sessions of the load and their requests, written a second time: who is in a session by its number, and what a packet
 * gateway says of it. tests/pcrf_peers/load.rs compares them with what `strowger pcrf bench` sends. */

#ifndef GX_SESSIONS_H
#define GX_SESSIONS_H

#include "gx.h"
#include <inttypes.h>

enum kind { INITIAL, UPDATE, TERMINATE };

/* That of the server. */
static char realm[128];

/* The rules of src/pcrf/load/population.rs. */

#define CROSSING 20
#define FIRST_APN 14

static uint64_t subscribers;
static unsigned roaming, apns;
static char apn[8][64];

struct who {
	uint64_t subscriber, update, end;
	const char *apn, *plmn;
	int metered;
	uint8_t address[4];
};

static uint64_t mix(uint64_t number)
{
	uint64_t mixed = (number ^ (number >> 31)) * 0x9e3779b97f4a7c15ull;
	return mixed ^ (mixed >> 29);
}

static int is_gold(uint64_t subscriber)
{
	return subscriber / CROSSING % 4 != 3;
}

static struct who session_of(uint64_t number)
{
	uint64_t groups = subscribers / CROSSING ? subscribers / CROSSING : 1;
	uint64_t turn = number / CROSSING, slot = number % CROSSING, round = turn / groups;
	/* A prime: groups are taken in another order than that of the file. */
	uint64_t group = turn % groups * 7919 % groups;
	int crosses = slot == 0, abroad = !crosses && mix(number) % 100 < roaming;
	unsigned place = 0;
	struct who who = {.end = 1000000, .update = crosses ? 8200000000ull : 4000000};
	if (crosses && group % 4 == 3)
		group -= 1;
	who.subscriber = group * CROSSING + (slot + round) % CROSSING;
	if (who.subscriber >= subscribers)
		who.subscriber = subscribers - 1;
	if (slot >= FIRST_APN) {
		uint64_t others = apns > 1 ? apns - 1 : 1;
		place = (unsigned)((slot - FIRST_APN) * others / (CROSSING - FIRST_APN)) + 1;
	}
	who.apn = apn[place < apns ? place : 0];
	who.plmn = abroad ? "26201" : "00101";
	who.metered = slot < FIRST_APN && !abroad && is_gold(who.subscriber);
	memcpy(who.address, (uint8_t[]){10, number >> 16, number >> 8, number}, 4);
	return who;
}

/* The AVPs of src/pcrf/load/requests.rs. */

static void surroundings(struct msg *msg, const struct who *who)
{
	const uint8_t *a = who->address;
	uint8_t location[] = {130, 0, 0xf1, 0x10, 0, a[2], 0, 0xf1, 0x10, 0, 0, a[2], a[3]};
	set_octets(msg, "Framed-IP-Address", a, 4);
	set_u32(msg, "IP-CAN-Type", 5);
	set_u32(msg, "RAT-Type", 1004);
	set_text(msg, "Called-Station-Id", who->apn);
	set_text(msg, "3GPP-SGSN-MCC-MNC", who->plmn);
	set_octets(msg, "3GPP-User-Location-Info", location, sizeof location);
}

static void used(struct msg *msg, const struct who *who, uint64_t octets)
{
	struct avp *group, *unit;
	if (!who->metered)
		return;
	group = add(msg, "Usage-Monitoring-Information");
	set_text(group, "Monitoring-Key", "mk-gold");
	unit = add(group, "Used-Service-Unit");
	set_u64(unit, "CC-Total-Octets", octets);
	set_u64(unit, "CC-Input-Octets", octets / 8);
	set_u64(unit, "CC-Output-Octets", octets - octets / 8);
	set_u32(group, "Usage-Monitoring-Level", 0);
}

static void initial(struct msg *msg, const struct who *who)
{
	struct avp *group = add(msg, "Supported-Features"), *arp;
	set_u32(group, "Vendor-Id", TGPP);
	set_u32(group, "Feature-List-ID", 1);
	set_u32(group, "Feature-List", 11);
	set_u32(msg, "Network-Request-Support", 1);
	surroundings(msg, who);
	set_octets(msg, "3GPP-MS-TimeZone", ((uint8_t[]){4, 0}), 2);
	/* IPv4, 10.255.0.1 */
	set_octets(msg, "AN-GW-Address", ((uint8_t[]){0, 1, 10, 255, 0, 1}), 6);
	group = add(msg, "QoS-Information");
	set_u32(group, "APN-Aggregate-Max-Bitrate-UL", 50000000);
	set_u32(group, "APN-Aggregate-Max-Bitrate-DL", 100000000);
	group = add(msg, "Default-EPS-Bearer-QoS");
	set_u32(group, "QoS-Class-Identifier", 9);
	arp = add(group, "Allocation-Retention-Priority");
	set_u32(arp, "Priority-Level", 10);
	set_u32(arp, "Pre-emption-Capability", 1);
	set_u32(arp, "Pre-emption-Vulnerability", 0);
}

static struct msg *build(const char *run, enum kind kind, uint64_t session, uint32_t number)
{
	char text[192];
	struct who who = session_of(session);
	snprintf(text, sizeof text, "%s;%s;%" PRIu64, fd_g_config->cnf_diamid, run, session);
	struct msg *msg = gx_request(text, realm, kind + 1, number);
	snprintf(text, sizeof text, "4915%08" PRIu64, who.subscriber + 1000000);
	gx_subscription(msg, 0, text);
	snprintf(text, sizeof text, "00101%010" PRIu64, who.subscriber + 1000000);
	gx_subscription(msg, 1, text);
	switch (kind) {
	case INITIAL:
		initial(msg, &who);
		break;
	case UPDATE:
		surroundings(msg, &who);
		/* USAGE_REPORT, USER_LOCATION_CHANGE */
		set_u32(msg, "Event-Trigger", who.metered ? 33 : 13);
		used(msg, &who, who.update);
		break;
	case TERMINATE:
		set_u32(msg, "Termination-Cause", 1);
		used(msg, &who, who.end);
	}
	return msg;
}

/* The dictionaries of freeDiameter lack the RAT-Type of TS 29.212. */
static int define_rat_type(void)
{
	struct dict_object *type, *found;
	struct dict_avp_data data = {1032, TGPP, "RAT-Type", AVP_FLAG_VENDOR | AVP_FLAG_MANDATORY, AVP_FLAG_VENDOR, AVP_TYPE_INTEGER32};
	struct dict_type_data enumerated = {.type_base = AVP_TYPE_INTEGER32, .type_name = "Enumerated(3GPP/RAT-Type)"};
	if (!fd_dict_search(fd_g_config->cnf_dict, DICT_AVP, AVP_BY_NAME_ALL_VENDORS, "RAT-Type", &found, ENOENT))
		return 0;
	CHECK_FCT(fd_dict_new(fd_g_config->cnf_dict, DICT_TYPE, &enumerated, NULL, &type));
	return fd_dict_new(fd_g_config->cnf_dict, DICT_AVP, &data, type, NULL);
}

#endif
