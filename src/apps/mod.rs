//! Dialplan applications, one file per application or inseparable family.

use crate::library::Application;

mod examples;
mod gather;
mod hosted;

macro_rules! applications {
    ($($file:ident: $($name:ident),+;)*) => {
        $(pub mod $file;)*
        /// Every application.
        pub static ALL: &[&Application] = &[$($(&$file::$name),+),*];
    };
}

applications! {
    agents: AGENT_LOGIN, AGENT_REQUEST;
    answer: ANSWER;
    authenticate: AUTHENTICATE;
    availability: CHAN_IS_AVAIL;
    background: BACKGROUND, WAIT_EXTEN;
    bridges: BLIND_TRANSFER, ATTENDED_TRANSFER, BRIDGE, BRIDGE_ADD, BRIDGE_WAIT;
    call_completion: CALL_COMPLETION_REQUEST, CALL_COMPLETION_CANCEL;
    channels: SOFT_HANGUP, CHANNEL_REDIRECT, TRANSFER, ECHO;
    clear_hash: CLEAR_HASH;
    conference: CONF_BRIDGE, CONF_KICK;
    controlled: CONTROL_PLAYBACK, BACKGROUND_DETECT, MP3_PLAYER, STREAM_ECHO, DICTATE;
    db_deltree: DB_DELTREE;
    db_sync: DB_SYNC;
    detect: AMD, WAIT_FOR_NOISE, WAIT_FOR_SILENCE, WAIT_FOR_RING;
    dial: DIAL, RETRY_DIAL;
    directory: DIRECTORY;
    disa: DISA;
    exec: EXEC, TRY_EXEC, EXEC_IF;
    follow_me: FOLLOW_ME;
    gosub: GOSUB, GOSUB_IF, RETURN, STACK_POP;
    goto: GOTO, GOTO_IF;
    goto_if_time: GOTO_IF_TIME, EXEC_IF_TIME;
    hangup: HANGUP;
    hangup_cause_clear: HANGUP_CAUSE_CLEAR;
    if_block: IF, ELSE_IF, ELSE, END_IF, EXIT_IF;
    incomplete: INCOMPLETE;
    indicate: RINGING, PROGRESS, PROCEEDING, BUSY, CONGESTION;
    minivm: MINIVM_RECORD, MINIVM_GREET, MINIVM_NOTIFY, MINIVM_DELETE, MINIVM_ACC_MESS, MINIVM_MWI;
    monitor: MIX_MONITOR, STOP_MIX_MONITOR, CHAN_SPY, EXTEN_SPY, BROADCAST;
    no_op: NO_OP;
    originate: ORIGINATE;
    page: PAGE;
    parking: PARK, PARK_AND_ANNOUNCE, PARKED_CALL;
    pickup: PICKUP, PICKUP_CHAN;
    playback: PLAYBACK;
    privacy: PRIVACY_MANAGER;
    queue: QUEUE;
    queue_members: ADD_QUEUE_MEMBER, REMOVE_QUEUE_MEMBER, PAUSE_QUEUE_MEMBER, UNPAUSE_QUEUE_MEMBER, QUEUE_LOG, QUEUE_UPDATE;
    raise_exception: RAISE_EXCEPTION;
    read: READ, READ_EXTEN;
    record: RECORD;
    records: RESET_CDR, FORK_CDR, CEL_GEN_USER_EVENT, USER_EVENT, DUMP_CHAN;
    refused: AGI, EAGI, EXTERNAL_IVR, AUDIO_SOCKET, ADSI_PROG, GET_CPEID, ALARM_RECEIVER, TEST_CLIENT, TEST_SERVER, IVR_DEMO, SMS, DAHDI_SCAN;
    reload: RELOAD;
    say: SAY_NUMBER, SAY_ORDINAL, SAY_DIGITS, SAY_ALPHA, SAY_ALPHA_CASE, SAY_PHONETIC, SAY_MONEY;
    say_time: SAY_UNIX_TIME, DATE_TIME, SAY_COUNTED_NOUN, SAY_COUNTED_ADJ;
    set: SET, MSET;
    shared_lines: SLA_STATION, SLA_TRUNK;
    signal: SIGNAL, WAIT_FOR_SIGNAL;
    signalling: SEND_DTMF, SEND_MF, SEND_SF, RECEIVE_MF, RECEIVE_SF, STORE_DTMF;
    speech: SPEECH_CREATE, SPEECH_ACTIVATE_GRAMMAR, SPEECH_DEACTIVATE_GRAMMAR, SPEECH_LOAD_GRAMMAR, SPEECH_UNLOAD_GRAMMAR, SPEECH_START, SPEECH_BACKGROUND, SPEECH_PROCESSING_SOUND, SPEECH_DESTROY;
    system: SYSTEM, TRY_SYSTEM;
    text: SEND_TEXT, RECEIVE_TEXT, MESSAGE_SEND;
    tones: MUSIC_ON_HOLD, START_MUSIC_ON_HOLD, STOP_MUSIC_ON_HOLD, PLAY_TONES, STOP_PLAY_TONES, MILLIWATT, MORSECODE, ZAPATELLER;
    verbose: VERBOSE, LOG;
    voicemail: VOICE_MAIL, VOICE_MAIL_MAIN, VM_AUTHENTICATE, VM_SAY_NAME, VOICE_MAIL_PLAY_MSG;
    wait: WAIT, WAIT_UNTIL, WAIT_DIGIT, WAIT_FOR_CONDITION;
    while_loop: WHILE, END_WHILE, EXIT_WHILE, CONTINUE_WHILE;
}

pub(crate) use examples::of as examples_of;
