/* The load of `strowger pcrf bench` as an extension of freeDiameter: the same sessions of the same subscribers at the
 * same times, but built, sent, received and checked by code that has nothing in common with the server.
 *
 * Its parameter in the configuration is SUBSCRIBERS,ROAMING,APN,APN,... For each line of its input
 *
 *     run RATE DISTANCE WARM_UP SECONDS LIMIT WINDOW
 *
 * it sends a load: RATE requests per second, an update DISTANCE sessions after the beginning, WARM_UP seconds that do not
 * count and SECONDS that do, LIMIT seconds at most, WINDOW requests that may be unanswered. It prints `GX ready` when the
 * peer is open, `GX window begins` and `GX window ends`. Then it waits for a line, so that whoever reads the server's
 * counters finds those of the window, ends the sessions that are left, and prints `GX {...}`, the figures. */

#include "gx_sessions.h"
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <time.h>

#define SECOND 1000000000ull
/* A request that leaves so long after its time is late. */
#define LATE (SECOND / 200)
/* Nothing comes for so long: the server is gone. */
#define PATIENCE (5 * SECOND)

static pthread_t thread;
static struct disp_hdl *handle;
static struct fd_hook_hdl *hook;

/* The rules of src/pcrf/load/schedule.rs. */

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

static void silent(void)
{
	printf("GX failed: no answer for 5 s, %llu are open\n", atomic_load(&sent) - atomic_load(&answered));
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
	char name[48], line[16];
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
			return silent();
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
	if (!fgets(line, sizeof line, stdin))
		return;
	/* The sessions that the schedule left are ended as fast as the window allows. */
	uint64_t ended = place / 3 > 2 * course.distance ? place / 3 - 2 * course.distance : 0;
	for (uint64_t session = ended; session < (place + 2) / 3; session++) {
		uint32_t number = (session + course.distance) * 3 + 1 < place ? 2 : 1;
		struct msg *msg = build(name, TERMINATE, session, number);
		atomic_fetch_add(&sent, 1);
		fd_msg_send(&msg, on_answer, label(runs, (1ull << OF_RUN) - 1));
		if (!wait_for(course.window))
			return silent();
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

/* freeDiameter leaves Nagle's algorithm on, and does not tell its sockets: after a RAA, which nothing answers, each request
 * would wait 40 ms for an acknowledgement. Its only connection is the one to the server. */
static void send_at_once(void)
{
	struct sockaddr_storage peer;
	int on = 1;
	for (int socket = 3; socket < 256; socket++) {
		socklen_t length = sizeof peer;
		if (!getpeername(socket, (struct sockaddr *)&peer, &length) && peer.ss_family == AF_INET)
			setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	}
}

static void *run(void *unused)
{
	char line[128];
	struct peer_hdr *peer;
	fd_core_waitstartcomplete();
	while (!(peer = open_peer()))
		usleep(10000);
	send_at_once();
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

/* Where nobody listens, freeDiameter writes each message as text, and throws the text away. */
static void ignore(enum fd_hook_type type, struct msg *msg, struct peer_hdr *peer, void *other, struct fd_hook_permsgdata *own,
		   void *opaque)
{
	(void)type, (void)msg, (void)peer, (void)other, (void)own, (void)opaque;
}

static int begin(char *parameter)
{
	uint32_t usual = HOOK_MASK(HOOK_MESSAGE_RECEIVED, HOOK_MESSAGE_LOCAL, HOOK_MESSAGE_SENDING, HOOK_MESSAGE_SENT,
				   HOOK_MESSAGE_ROUTING_FORWARD, HOOK_MESSAGE_ROUTING_LOCAL);
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
	CHECK_FCT(fd_hook_register(usual, ignore, NULL, NULL, &hook));
	CHECK_FCT(gx_begin(on_push, &handle));
	return pthread_create(&thread, NULL, run, NULL);
}

void fd_ext_fini(void)
{
	fd_disp_unregister(&handle, NULL);
	fd_hook_unregister(hook);
}

EXTENSION_ENTRY("gx_load", begin, "dict_dcca_3gpp");
