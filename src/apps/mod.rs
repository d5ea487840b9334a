//! Dialplan applications, one file per application or inseparable family.

use crate::library::Application;

macro_rules! applications {
    ($($file:ident: $($name:ident),+;)*) => {
        $(mod $file;)*
        /// Every application.
        pub static ALL: &[&Application] = &[$($(&$file::$name),+),*];
    };
}

applications! {
    answer: ANSWER;
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
    raise_exception: RAISE_EXCEPTION;
    set: SET, MSET;
    verbose: VERBOSE, LOG;
    wait: WAIT, WAIT_UNTIL, WAIT_DIGIT, WAIT_FOR_CONDITION;
    while_loop: WHILE, END_WHILE, EXIT_WHILE, CONTINUE_WHILE;
}
