//! Dialplan applications, one file per application or inseparable family.

use crate::library::Application;

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
    answer: ANSWER;
    authenticate: AUTHENTICATE;
    background: BACKGROUND, WAIT_EXTEN;
    bridges: BLIND_TRANSFER, ATTENDED_TRANSFER, BRIDGE, BRIDGE_ADD, BRIDGE_WAIT;
    channels: SOFT_HANGUP, CHANNEL_REDIRECT, TRANSFER, ECHO;
    clear_hash: CLEAR_HASH;
    controlled: CONTROL_PLAYBACK, BACKGROUND_DETECT, MP3_PLAYER, STREAM_ECHO, DICTATE;
    db_deltree: DB_DELTREE;
    detect: AMD, WAIT_FOR_NOISE, WAIT_FOR_SILENCE, WAIT_FOR_RING;
    dial: DIAL, RETRY_DIAL;
    exec: EXEC, TRY_EXEC, EXEC_IF;
    gosub: GOSUB, GOSUB_IF, RETURN, STACK_POP;
    goto: GOTO, GOTO_IF;
    goto_if_time: GOTO_IF_TIME, EXEC_IF_TIME;
    hangup: HANGUP;
    hangup_cause_clear: HANGUP_CAUSE_CLEAR;
    if_block: IF, ELSE_IF, ELSE, END_IF, EXIT_IF;
    incomplete: INCOMPLETE;
    indicate: RINGING, PROGRESS, PROCEEDING, BUSY, CONGESTION;
    no_op: NO_OP;
    originate: ORIGINATE;
    other_calls: PAGE, PARK, PARK_AND_ANNOUNCE, PARKED_CALL, PICKUP, PICKUP_CHAN, FOLLOW_ME, CHAN_IS_AVAIL;
    playback: PLAYBACK;
    raise_exception: RAISE_EXCEPTION;
    read: READ, READ_EXTEN;
    record: RECORD;
    records: RESET_CDR, FORK_CDR, CEL_GEN_USER_EVENT, USER_EVENT, DUMP_CHAN;
    reload: RELOAD;
    say: SAY_NUMBER, SAY_ORDINAL, SAY_DIGITS, SAY_ALPHA, SAY_ALPHA_CASE, SAY_PHONETIC, SAY_MONEY;
    say_time: SAY_UNIX_TIME, DATE_TIME, SAY_COUNTED_NOUN, SAY_COUNTED_ADJ;
    set: SET, MSET;
    signal: SIGNAL, WAIT_FOR_SIGNAL;
    signalling: SEND_DTMF, SEND_MF, SEND_SF, RECEIVE_MF, RECEIVE_SF, STORE_DTMF;
    system: SYSTEM, TRY_SYSTEM;
    text: SEND_TEXT, RECEIVE_TEXT, MESSAGE_SEND;
    tones: MUSIC_ON_HOLD, START_MUSIC_ON_HOLD, STOP_MUSIC_ON_HOLD, PLAY_TONES, STOP_PLAY_TONES, MILLIWATT, MORSECODE, ZAPATELLER;
    verbose: VERBOSE, LOG;
    wait: WAIT, WAIT_UNTIL, WAIT_DIGIT, WAIT_FOR_CONDITION;
    while_loop: WHILE, END_WHILE, EXIT_WHILE, CONTINUE_WHILE;
}
