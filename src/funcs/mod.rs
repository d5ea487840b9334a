//! Dialplan functions, one file per function or inseparable family.

use crate::library::Function;

mod strptime;

macro_rules! functions {
    ($($file:ident: $($name:ident),+;)*) => {
        $(pub mod $file;)*
        /// Every function.
        pub static ALL: &[&Function] = &[$($(&$file::$name),+),*];
    };
}

functions! {
    aes: AES_DECRYPT, AES_ENCRYPT;
    agent: AGENT, AMI_CLIENT;
    array: ARRAY, POP, PUSH, SHIFT, UNSHIFT;
    ast_config: AST_CONFIG;
    base64: BASE64_DECODE, BASE64_ENCODE;
    blacklist: BLACKLIST;
    callerid: CALLERID, CONNECTEDLINE, REDIRECTING;
    case: TOLOWER, TOUPPER;
    cdr: CDR, CDR_PROP;
    channel: CHANNEL;
    channels: CHANNELS, CHANNEL_EXISTS, MASTER_CHANNEL;
    conference: CONFBRIDGE, CONFBRIDGE_CHANNELS, CONFBRIDGE_INFO;
    csv: CSV_QUOTE, QUOTE;
    curl: CURL, CURLOPT;
    cut: CUT, SORT;
    db: DB, DB_DELETE, DB_EXISTS, DB_KEYCOUNT, DB_KEYS;
    dialgroup: DIALGROUP;
    dialplan: DIALPLAN_EXISTS;
    digest: MD5, SHA1;
    digits: DIGIT_SUM, KEYPADHASH;
    enum_lookup: ENUMLOOKUP, ENUMQUERY, ENUMRESULT, TXTCIDNAME;
    env: ENV;
    eval: EVAL, EVAL_EXTEN, EVAL_SUB;
    exception: EXCEPTION;
    field: FIELDNUM, FIELDQTY, LISTFILTER;
    file: FILE, FILE_COUNT_LINE, FILE_FORMAT;
    filter: FILTER;
    global: GLOBAL, GLOBAL_DELETE, GLOBAL_EXISTS;
    group: GROUP, GROUP_COUNT, GROUP_LIST, GROUP_MATCH_COUNT;
    hangup_cause: HANGUPCAUSE, HANGUPCAUSE_KEYS;
    hash: HASH, HASHKEYS;
    hint: DEVICE_STATE, EXTENSION_STATE, HINT;
    iconv: ICONV;
    json: JSON_DECODE;
    len: LEN;
    local: LOCAL, LOCAL_PEEK, STACK_PEEK;
    lock: LOCK, TRYLOCK, UNLOCK;
    logic: EXISTS, IF, IFTIME, ISNULL;
    mailbox: MINIVMACCOUNT, MINIVMCOUNTER, VMCOUNT, VM_INFO;
    math: ABS, DEC, INC, MATH, MAX, MIN;
    media: FRAME_DROP, FRAME_TRACE, HOLD_INTERCEPT, JITTERBUFFER, MUTEAUDIO, PITCH_SHIFT, SCRAMBLE, TALK_DETECT, VOLUME;
    message: MESSAGE, MESSAGE_DATA;
    module: IFMODULE;
    parking: PARK_GET_CHANNEL;
    passthru: PASSTHRU;
    path: BASENAME, DIRNAME;
    presence: PRESENCE_STATE;
    queue: QUEUE_EXISTS, QUEUE_GET_CHANNEL, QUEUE_MEMBER, QUEUE_MEMBER_LIST, QUEUE_MEMBER_PENALTY, QUEUE_VARIABLES, QUEUE_WAITING_COUNT;
    random: RAND, UUID;
    realtime: REALTIME, REALTIME_DESTROY, REALTIME_FIELD, REALTIME_HASH, REALTIME_STORE;
    recordings: MIXMONITOR, RECORDING_INFO;
    refused: AST_SORCERY, SMDI_MSG, SMDI_MSG_RETRIEVE, SPEECH, SPEECH_ENGINE, SPEECH_GRAMMAR, SPEECH_RESULTS_TYPE, SPEECH_SCORE, SPEECH_TEXT;
    regex: REGEX;
    replace: REPLACE, STRBETWEEN, STRREPLACE;
    say_files: SAYFILES;
    settings: CALLCOMPLETION, FEATURE, FEATUREMAP, LOG_GROUP;
    shared: EXPORT, IMPORT, SHARED;
    shell: SHELL;
    sprintf: SPRINTF;
    srv: SRVQUERY, SRVRESULT;
    stat: STAT;
    strftime: STRFTIME, STRPTIME;
    sysinfo: SYSINFO;
    testtime: TESTTIME;
    timeout: TIMEOUT;
    trim: LTRIM, RTRIM, TRIM;
    uri: URIDECODE, URIENCODE;
    variable: DELETE, SET, VARIABLE_EXISTS;
    version: VERSION;
}
