//! IFMODULE.

use crate::library::{Example, Function};
use crate::machine::{Answer, Cx};

/// Modules of Asterisk whose functions and services this engine has, besides those of its applications.
const STANDS_FOR: &[&str] = &[
    "app_db",
    "app_exec",
    "app_stack",
    "app_while",
    "func_base64",
    "func_blacklist",
    "func_callcompletion",
    "func_callerid",
    "func_cdr",
    "func_channel",
    "func_config",
    "func_cut",
    "func_db",
    "func_devstate",
    "func_dialgroup",
    "func_dialplan",
    "func_env",
    "func_evalexten",
    "func_export",
    "func_extstate",
    "func_global",
    "func_groupcount",
    "func_hangupcause",
    "func_iconv",
    "func_json",
    "func_lock",
    "func_logic",
    "func_math",
    "func_md5",
    "func_module",
    "func_presencestate",
    "func_rand",
    "func_sayfiles",
    "func_sha1",
    "func_shell",
    "func_sprintf",
    "func_strings",
    "func_sysinfo",
    "func_timeout",
    "func_uri",
    "func_uuid",
    "func_version",
    "pbx_config",
    "res_agi",
];

/// Whether a module is there.
pub static IFMODULE: Function = Function::read(
    "IFMODULE",
    "Whether a module of Asterisk is loaded.",
    "name",
    "1 for the modules whose applications and functions exist here, with or without `.so` and without regard to case; \
     else 0.",
    |cx: &mut Cx<'_>, name, out| {
        let name = name.to_ascii_lowercase();
        let name = name.strip_suffix(b".so").unwrap_or(&name);
        let known = STANDS_FOR.iter().any(|known| known.as_bytes() == name)
            || name
                .strip_prefix(b"app_")
                .is_some_and(|application| cx.knows_application(application));
        out.push(if known { b'1' } else { b'0' });
        Answer::Done
    },
)
.examples(&[Example {
    title: "Dial is there",
    dialplan: "",
    evaluate: "${IFMODULE(app_dial.so)}${IFMODULE(app_nothing.so)}",
    expect: "10",
}]);
