//! Dialplan applications, one file per application or inseparable family.

use crate::library::Application;

macro_rules! applications {
    ($($file:ident: $($name:ident),+;)*) => {
        $(pub mod $file;)*
        /// Every application.
        pub static ALL: &[&Application] = &[$($(&$file::$name),+),*];
    };
}

applications! {
    answer: ANSWER;
    background: BACKGROUND, WAIT_EXTEN;
    channels: SOFT_HANGUP, CHANNEL_REDIRECT, TRANSFER, ECHO;
    clear_hash: CLEAR_HASH;
    db_deltree: DB_DELTREE;
    dial: DIAL, RETRY_DIAL;
    exec: EXEC, TRY_EXEC, EXEC_IF;
    gosub: GOSUB, GOSUB_IF, RETURN, STACK_POP;
    goto: GOTO, GOTO_IF;
    goto_if_time: GOTO_IF_TIME, EXEC_IF_TIME;
    hangup: HANGUP;
    if_block: IF, ELSE_IF, ELSE, END_IF, EXIT_IF;
    incomplete: INCOMPLETE;
    indicate: RINGING, PROGRESS, PROCEEDING, BUSY, CONGESTION;
    no_op: NO_OP;
    originate: ORIGINATE;
    playback: PLAYBACK;
    raise_exception: RAISE_EXCEPTION;
    read: READ, READ_EXTEN;
    record: RECORD;
    records: RESET_CDR, FORK_CDR, CEL_GEN_USER_EVENT, USER_EVENT, DUMP_CHAN;
    say: SAY_NUMBER, SAY_ORDINAL, SAY_DIGITS, SAY_ALPHA, SAY_ALPHA_CASE, SAY_PHONETIC, SAY_MONEY;
    set: SET, MSET;
    verbose: VERBOSE, LOG;
    wait: WAIT, WAIT_UNTIL, WAIT_DIGIT, WAIT_FOR_CONDITION;
    while_loop: WHILE, END_WHILE, EXIT_WHILE, CONTINUE_WHILE;
}
