/* The load of `strowger pcrf bench` as an extension of freeDiameter: the same sessions of the same subscribers at the
 * same times, but built, sent, received and checked by code that has nothing in common with the server.
 *
 * Its parameter in the configuration is SUBSCRIBERS,ROAMING,APN,APN,... For each line of its input
 *
 *     run RATE DISTANCE WARM_UP SECONDS LIMIT WINDOW
 *
 * it sends a load: RATE requests per second, an update DISTANCE sessions after the beginning, WARM_UP seconds that do not
 * count and SECONDS that do, LIMIT seconds at most, WINDOW requests that may be unanswered. It prints `GX ready` when the
 * peer is open, `GX window begins` and `GX window ends`, then `GX {...}`, the figures. Sessions are ended after that. */

#include "gx.h"
#include <inttypes.h>
#include <stdatomic.h>
#include <time.h>

#define SECOND 1000000000ull
/* A request that leaves so long after its time is late. */
#define LATE (SECOND / 200)
/* Nothing comes for so long: the server is gone. */
#define PATIENCE (5 * SECOND)

enum kind { INITIAL, UPDATE, TERMINATE };

static pthread_t thread;
static struct disp_hdl *handle;
static char realm[128];

/* ---- Who: the rules of src/pcrf/load/population.rs. */

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

/* ---- When: the rules of src/pcrf/load/schedule.rs. */

struct course { uint64_t rate, distance, warm_up, seconds, limit, window; };

static uint64_t due(const struct course *course, uint64_t place)
{
	return (uint64_t)((unsigned __int128)place * SECOND / course->rate);
}

/* What is sent at a place; false where the session would be too young. */
static int request_at(const struct course *course, uint64_t place, enum kind *kind, uint64_t *session)
{
	uint64_t back = place % 3 * course->distance;
	*kind = (enum kind)(place % 3);
	*session = place / 3 - back;
	return place / 3 >= back;
}

/* ---- What: the AVPs of src/pcrf/load/requests.rs. */

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

/* ---- What came of it. */

/* As many places for each power of two: a percentile is at most 1/64 too high. */
#define BITS 6
#define HALF (1 << BITS)

struct codes { uint32_t code[16]; uint64_t count[16]; };

struct counts {
	uint64_t places[64 * HALF], total, longest;
	/* Answers to requests that were due in the window, and to the others. */
	struct codes inside, outside;
};

static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
static struct counts counts;
static struct course course;
/* Of the run: its number, its beginning, the places that count, how far the schedule reaches. */
static uint64_t runs, began, first, last;
static atomic_ullong sent, answered, pushed, pushes_answered;

static uint64_t now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
}

static unsigned place_of(uint64_t value)
{
	int length = value ? 64 - __builtin_clzll(value) : 0;
	int shift = length > BITS + 1 ? length - BITS - 1 : 0;
	return (unsigned)shift * HALF + (unsigned)(value >> shift);
}

static uint64_t upper(unsigned place)
{
	return place < 2 * HALF ? place : ((uint64_t)(place % HALF + HALF + 1) << (place / HALF - 1)) - 1;
}

static double milliseconds(const struct counts *counts, double share)
{
	double wanted = (double)counts->total * share;
	uint64_t seen = 0;
	for (unsigned place = 0; place < 64 * HALF; place++) {
		seen += counts->places[place];
		if (seen && (double)seen >= wanted) {
			uint64_t found = upper(place);
			return (double)(found < counts->longest ? found : counts->longest) / 1e6;
		}
	}
	return (double)counts->longest / 1e6;
}

static void count_code(struct codes *codes, uint32_t code)
{
	unsigned place = 0;
	while (place < 15 && codes->count[place] && codes->code[place] != code)
		place++;
	codes->code[place] = code;
	codes->count[place]++;
}

/* Result-Code; of 3GPP, 1,000,000 more; 0 where there is none. */
static uint32_t result_of(struct msg *msg)
{
	struct avp *avp = NULL, *child = NULL;
	struct avp_hdr *h;
	for (fd_msg_browse(msg, MSG_BRW_FIRST_CHILD, &avp, NULL); avp; fd_msg_browse(avp, MSG_BRW_NEXT, &avp, NULL)) {
		if (fd_msg_avp_hdr(avp, &h) || h->avp_flags & AVP_FLAG_VENDOR)
			continue;
		if (h->avp_code == 268 && h->avp_value)
			return h->avp_value->u32;
		if (h->avp_code != 297)
			continue;
		for (fd_msg_browse(avp, MSG_BRW_FIRST_CHILD, &child, NULL); child; fd_msg_browse(child, MSG_BRW_NEXT, &child, NULL))
			if (!fd_msg_avp_hdr(child, &h) && h->avp_code == 298 && h->avp_value)
				return 1000000 + h->avp_value->u32;
	}
	return 0;
}

/* What was given with a request: the number of the run, and the place in its schedule. */
#define OF_RUN 40
static void *label(uint64_t run, uint64_t place)
{
	return (void *)(uintptr_t)(run << OF_RUN | place);
}

static void on_answer(void *labelled, struct msg **msg)
{
	uint64_t at = now(), run = (uint64_t)(uintptr_t)labelled >> OF_RUN;
	uint64_t place = (uint64_t)(uintptr_t)labelled & ((1ull << OF_RUN) - 1);
	uint32_t code = result_of(*msg);
	pthread_mutex_lock(&counting);
	if (run == runs && place >= first && place < last) {
		uint64_t latency = at - began - due(&course, place);
		counts.places[place_of(latency)]++;
		counts.total++;
		if (latency > counts.longest)
			counts.longest = latency;
		count_code(&counts.inside, code);
	} else {
		count_code(&counts.outside, code);
	}
	pthread_mutex_unlock(&counting);
	fd_msg_free(*msg);
	*msg = NULL;
	atomic_fetch_add(&answered, 1);
}

static int on_push(struct msg **msg, struct avp *avp, struct session *session, void *opaque, enum disp_action *act)
{
	os0_t id;
	size_t length, own = fd_g_config->cnf_diamid_len;
	(void)avp, (void)opaque;
	atomic_fetch_add(&pushed, 1);
	int known = session && !fd_sess_getsid(session, &id, &length) && length > own
		    && !memcmp(id, fd_g_config->cnf_diamid, own);
	if (fd_msg_new_answer_from_req(fd_g_config->cnf_dict, msg, 0)
	    || fd_msg_rescode_set(*msg, known ? "DIAMETER_SUCCESS" : "DIAMETER_UNKNOWN_SESSION_ID", NULL, NULL, 1))
		return EINVAL;
	*act = DISP_ACT_SEND;
	atomic_fetch_add(&pushes_answered, 1);
	return 0;
}

/* ---- A run. */

/* Waits until fewer than that many requests are unanswered. An answer of the run before may still come. */
static int wait_for(uint64_t unanswered)
{
	uint64_t until = now() + PATIENCE, before = atomic_load(&answered), have;
	while ((int64_t)(atomic_load(&sent) - (have = atomic_load(&answered))) >= (int64_t)unanswered) {
		uint64_t at = now();
		if (have != before)
			until = at + PATIENCE, before = have;
		if (at > until)
			return 0;
		usleep(50);
	}
	return 1;
}

static void sleep_until(uint64_t time)
{
	struct timespec until = {(time_t)(time / SECOND), (long)(time % SECOND)};
	if (now() < time)
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
			;
}

static void tell(const char *text)
{
	printf("GX %s\n", text);
	fflush(stdout);
}

static void print_codes(const char *name, const struct codes *codes)
{
	const char *comma = "";
	printf(", \"%s\": {", name);
	for (unsigned place = 0; place < 16 && codes->count[place]; place++, comma = ", ") {
		uint32_t code = codes->code[place];
		if (code >= 1000000)
			printf("%s\"3GPP %" PRIu32 "\": %" PRIu64, comma, code - 1000000, codes->count[place]);
		else if (code)
			printf("%s\"%" PRIu32 "\": %" PRIu64, comma, code, codes->count[place]);
		else
			printf("%s\"none\": %" PRIu64, comma, codes->count[place]);
	}
	printf("}");
}

static void load(void)
{
	static struct counts found;
	uint64_t place = 0, inside = 0, late = 0, left, window_began, window_ended, before = atomic_load(&sent);
	char name[48];
	struct timespec stamp;
	clock_gettime(CLOCK_REALTIME, &stamp);
	uint64_t wall = ((uint64_t)stamp.tv_sec * 1000 + (uint64_t)stamp.tv_nsec / 1000000) & 0xffffffffffull;
	pthread_mutex_lock(&counting);
	memset(&counts, 0, sizeof counts);
	runs++;
	first = course.warm_up * course.rate;
	last = first + course.seconds * course.rate;
	began = now();
	pthread_mutex_unlock(&counting);
	snprintf(name, sizeof name, "%" PRIx64 ";%" PRIu64, wall, runs);
	atomic_store(&pushed, 0);
	atomic_store(&pushes_answered, 0);
	window_began = began;
	for (; place < last && now() - began < course.limit * SECOND; place++) {
		enum kind kind;
		uint64_t session, at;
		if (place == first) {
			window_began = now();
			tell("window begins");
		}
		if (!request_at(&course, place, &kind, &session))
			continue;
		sleep_until(began + due(&course, place));
		if (!wait_for(course.window))
			return tell("failed: no answer for 5 s");
		at = now() - began - due(&course, place);
		if (place >= first) {
			inside++;
			late += at > LATE;
		}
		struct msg *msg = build(name, kind, session, kind);
		atomic_fetch_add(&sent, 1);
		fd_msg_send(&msg, on_answer, label(runs, place));
	}
	window_ended = now();
	tell("window ends");
	wait_for(1);
	left = last - (place > first ? place : first);
	pthread_mutex_lock(&counting);
	found = counts;
	pthread_mutex_unlock(&counting);
	/* The sessions that the schedule left are ended as fast as the window allows. */
	uint64_t ended = place / 3 > 2 * course.distance ? place / 3 - 2 * course.distance : 0;
	for (uint64_t session = ended; session < (place + 2) / 3; session++) {
		uint32_t number = (session + course.distance) * 3 + 1 < place ? 2 : 1;
		struct msg *msg = build(name, TERMINATE, session, number);
		atomic_fetch_add(&sent, 1);
		fd_msg_send(&msg, on_answer, label(runs, (1ull << OF_RUN) - 1));
		if (!wait_for(course.window))
			return tell("failed: no answer for 5 s");
	}
	wait_for(1);
	pthread_mutex_lock(&counting);
	found.outside = counts.outside;
	pthread_mutex_unlock(&counting);
	double seconds = (double)(window_ended - window_began) / 1e9;
	printf("GX {\"rate\": %" PRIu64 ", \"seconds\": %.6f, \"sent\": %" PRIu64 ", \"left\": %" PRIu64 ", \"late\": %" PRIu64,
	       course.rate, seconds, inside, left, late + left);
	printf(", \"unanswered\": %" PRIu64 ", \"per_second\": %.3f", inside - found.total, (double)found.total / seconds);
	print_codes("answers", &found.inside);
	printf(", \"p50_ms\": %.6f, \"p99_ms\": %.6f, \"p999_ms\": %.6f, \"longest_ms\": %.6f", milliseconds(&found, 0.5),
	       milliseconds(&found, 0.99), milliseconds(&found, 0.999), milliseconds(&found, 1));
	printf(", \"pushes\": %llu, \"pushes_answered\": %llu", atomic_load(&pushed), atomic_load(&pushes_answered));
	/* The rest of the run: what was due before the window, and the ends after it. */
	printf(", \"sent_outside\": %llu", atomic_load(&sent) - before - inside);
	print_codes("answers_outside", &found.outside);
	printf("}\n");
	fflush(stdout);
	/* An answer that is lost must not narrow the next run's window. */
	atomic_store(&sent, atomic_load(&answered));
}

/* The server: the only peer. */
static struct peer_hdr *open_peer(void)
{
	struct peer_hdr *found = NULL;
	pthread_rwlock_rdlock(&fd_g_peers_rw);
	if (!FD_IS_LIST_EMPTY(&fd_g_peers))
		found = (struct peer_hdr *)fd_g_peers.next->o;
	pthread_rwlock_unlock(&fd_g_peers_rw);
	return found && fd_peer_get_state(found) == STATE_OPEN ? found : NULL;
}

static void *run(void *unused)
{
	char line[128];
	struct peer_hdr *peer;
	fd_core_waitstartcomplete();
	while (!(peer = open_peer()))
		usleep(10000);
	snprintf(realm, sizeof realm, "%.*s", (int)peer->info.runtime.pir_realmlen, peer->info.runtime.pir_realm);
	tell("ready");
	while (fgets(line, sizeof line, stdin)) {
		struct course wanted = {0};
		int read = sscanf(line, "run %" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64, &wanted.rate,
				  &wanted.distance, &wanted.warm_up, &wanted.seconds, &wanted.limit, &wanted.window);
		if (read != 6 || !wanted.rate || !wanted.window) {
			tell("failed: run RATE DISTANCE WARM_UP SECONDS LIMIT WINDOW");
			break;
		}
		pthread_mutex_lock(&counting);
		course = wanted;
		pthread_mutex_unlock(&counting);
		load();
	}
	fd_core_shutdown();
	return unused;
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

static int begin(char *parameter)
{
	char *rest = NULL, *word = parameter ? strtok_r(parameter, ",", &rest) : NULL;
	subscribers = word ? strtoull(word, NULL, 10) : 0;
	word = strtok_r(NULL, ",", &rest);
	roaming = word ? (unsigned)strtoul(word, NULL, 10) : 0;
	while (apns < 8 && (word = strtok_r(NULL, ",", &rest)))
		snprintf(apn[apns++], sizeof apn[0], "%s", word);
	if (!subscribers || !apns) {
		tell("failed: the parameter is SUBSCRIBERS,ROAMING,APN,...");
		return EINVAL;
	}
	CHECK_FCT(define_rat_type());
	CHECK_FCT(gx_begin(on_push, &handle));
	return pthread_create(&thread, NULL, run, NULL);
}

void fd_ext_fini(void)
{
	fd_disp_unregister(&handle, NULL);
}

EXTENSION_ENTRY("gx_load", begin, "dict_dcca_3gpp");
