//! The register of codes. A code is never reused for another meaning.
//!
//! `E0xx` configuration, `E1xx` extension lines and patterns, `E2xx` substitution and expressions,
//! `E3xx` linking, `E4xx` the file of the store, `P6xx` rules, `P7xx` policies, `R9xx` run time.

#![allow(
    clippy::doc_markdown,
    reason = "titles are documentation and messages at once"
)]

/// Level of a log entry, as Asterisk names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// NOTICE
    Notice,
    /// WARNING
    Warning,
    /// ERROR
    Error,
}

impl Level {
    /// Lower-case name, as in the JSON forms.
    pub fn name(self) -> &'static str {
        match self {
            Level::Notice => "notice",
            Level::Warning => "warning",
            Level::Error => "error",
        }
    }
}

/// One kind of fault.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// Stable code, such as `E104`.
    pub id: &'static str,
    /// Name of the kind of log entry, as in the JSON forms.
    pub kind: &'static str,
    /// Level at which Asterisk logs it (the usual one where it has several).
    pub level: Level,
    /// What it means.
    pub title: &'static str,
}

impl Code {
    /// Whether Asterisk says it when a call gets there, and not while it loads: substitution, and names that
    /// it binds at run time.
    pub fn is_of_calls(&self) -> bool {
        self.id.starts_with("E2") || self.id.starts_with("E3")
    }
}

macro_rules! codes {
    ($($name:ident = $id:literal $kind:literal $level:ident $title:literal;)*) => {
        $(#[doc = $title] pub static $name: Code = Code { id: $id, kind: $kind, level: Level::$level, title: $title };)*
        /// Every code.
        pub static ALL: &[&Code] = &[$(&$name),*];
    };
}

codes! {
    // Configuration layer.
    LINE_BEFORE_FIRST_CONTEXT = "E001" "line-before-first-context" Warning "text before any `[context]`; the file is refused";
    CONTEXT_HEADER_NOT_CLOSED = "E002" "context-header-not-closed" Warning "`[name` without `]`; the file is refused";
    HEADER_OPTIONS_NOT_CLOSED = "E003" "header-options-not-closed" Warning "`(options` without `)`; the file is refused";
    TEMPLATE_MISSING = "E004" "template-missing" Warning "the section to inherit from does not exist; the file is refused";
    APPEND_TARGET_MISSING = "E005" "append-target-missing" Warning "the section for `(+)` does not exist; the file is refused";
    INCLUDE_FILE_MISSING = "E006" "include-file-missing" Error "an `#include`d file does not exist; the file is refused";
    INCLUDE_FILE_REPEATED = "E007" "include-file-repeated" Warning "the same file is included twice";
    INCLUDE_FILE_TOO_DEEP = "E008" "include-file-too-deep" Warning "files include each other too deeply";
    CONFIG_PARSE_ERROR = "E009" "config-parse-error" Warning "another error of the configuration layer; the file is refused";
    BLOCK_COMMENT_NOT_CLOSED = "E010" "block-comment-not-closed" Warning "a block comment is not closed, or closed without being open; what follows is lost";
    LINE_TOO_LONG = "E011" "line-too-long" Warning "a physical line of more than 8190 bytes is dropped";
    TOO_LONG = "E012" "too-long" Warning "a name or value is cut at Asterisk's limit";
    NO_EQUALS_SIGN = "E013" "no-equals-sign" Warning "a line without `=` is skipped";
    DIRECTIVE_UNKNOWN = "E014" "directive-unknown" Warning "an unknown directive is skipped";
    HASH_DIRECTIVE_UNKNOWN = "E015" "hash-directive-unknown" Warning "an unknown `#directive` is skipped";
    HASH_DIRECTIVE_WITHOUT_ARGUMENT = "E016" "hash-directive-without-argument" Warning "a `#directive` without its argument is skipped";
    EXEC_NOT_ENABLED = "E017" "exec-not-enabled" Warning "`#exec` is not allowed here";
    LINE_AFTER_STRAY_COMMENT_END = "E018" "line-dropped" Warning "everything after a stray `--;` is ignored";
    FILE_REFUSED = "E019" "file-refused" Error "the whole file is refused; a dialplan loaded before stays in force";
    NOT_READABLE = "E020" "not-readable" Error "the file cannot be read";
    REST_OF_FILE_DROPPED = "E021" "rest-of-file-dropped" Warning "a fault that would refuse the main file ends an included one";
    COMMENT_TOO_DEEP = "E022" "comment-too-deep" Error "block comments nest more than 128 deep";
    OPTION_UNKNOWN = "E023" "option-unknown" Warning "an option of `[general]` that has no meaning";
    TEXT_AFTER_NUL = "E024" "text-after-nul" Warning "a line ends at a NUL byte; what follows is lost";
    TEXT_AFTER_HEADER = "E025" "text-after-header" Warning "text after `[name]` or its options is lost";
    LINE_ENDS_CR = "E026" "line-ends-cr" Warning "the file has carriage returns for line ends, and so is one line";
    SETTING_UNKNOWN = "E031" "setting-unknown" Warning "a setting of a configuration file that has no meaning";
    SETTING_INVALID = "E032" "setting-invalid" Warning "a setting of a configuration file cannot have this value";
    SCRIPT_LINE_INVALID = "E033" "script-line-invalid" Error "a line of a script for simulated calls is not understood";
    // Extension lines.
    SAME_WITHOUT_EXTEN = "E101" "same-without-exten" Error "`same` as the first line of a section";
    SAME_PRIORITY_WITHOUT_PREVIOUS = "E102" "same-priority-without-previous" Warning "priority `s` with no line before";
    NEXT_WITHOUT_PREVIOUS_PRIORITY = "E103" "next-without-previous-priority" Warning "priority `n` with no line before";
    PRIORITY_OR_LABEL_UNKNOWN = "E104" "priority-or-label-unknown" Warning "the priority field is neither a number nor a known label";
    PRIORITY_NOT_POSITIVE = "E105" "priority-not-positive" Warning "the priority is less than 1";
    LABEL_NOT_CLOSED = "E106" "label-not-closed" Warning "a label without `)`";
    LABEL_ALREADY_IN_USE = "E107" "label-already-in-use" Warning "the label exists already in this extension; the line is kept without it";
    LABEL_LOOKUP_FAILED = "E108" "label-lookup-failed" Notice "a label that was looked up does not exist";
    NO_CLOSING_PARENTHESIS = "E109" "no-closing-parenthesis" Warning "application data without `)`, kept to the end of the line";
    PRIORITY_ALREADY_IN_USE = "E110" "priority-already-in-use" Warning "the priority exists already; the first one stays";
    PRIORITY_ALREADY_IN_USE_BY_EQUIVALENT_PATTERN = "E111" "priority-already-in-use-by-equivalent-pattern" Warning "the priority exists already in a pattern of the same meaning; the first one stays";
    EXTENSION_NOT_ADDED = "E112" "extension-not-added" Warning "the line is dropped";
    EXTEN_EMPTY = "E113" "exten-empty" Error "the extension is empty";
    MATCH_EVERYTHING_PATTERN = "E114" "match-everything-pattern" Warning "`_.` and `_!` also catch h, i, t and the other special extensions";
    BRACKET_NOT_CLOSED = "E115" "bracket-not-closed" Warning "a set in a pattern is not closed; the pattern never matches";
    INCLUDE_CONTEXT_MISSING = "E116" "include-context-missing" Warning "an included context does not exist";
    INCLUDE_DUPLICATE = "E117" "include-duplicate" Warning "the same include twice in one context";
    INCLUDE_DEPTH_EXCEEDED = "E118" "include-depth-exceeded" Warning "contexts include each other too deeply";
    IGNOREPAT_NOT_ADDED = "E119" "ignorepat-not-added" Warning "the same ignorepat twice in one context";
    SWITCH_NOT_ADDED = "E120" "switch-not-added" Warning "the same switch twice in one context";
    BAD_TIMESPEC = "E121" "bad-timespec" Warning "an element of a time specification is not understood";
    PRIORITY_DROPPED_SILENTLY = "E122" "priority-dropped" Warning "`n` after a hint line counts to 0 and is dropped";
    TEXT_AFTER_PARENTHESIS = "E123" "text-after-parenthesis" Warning "text after the last `)` is lost";
    TEXT_AFTER_PRIORITY = "E124" "text-after-priority" Warning "text after the number of a priority is lost";
    PRIORITY_WRAPS = "E125" "priority-wraps" Warning "a priority beyond 2147483647 becomes another number";
    // Substitution and expressions.
    MISSING_BRACE = "E201" "missing-brace" Warning "`${` without `}`: the rest of the text is taken as the name";
    MISSING_BRACKET = "E202" "missing-bracket" Warning "`$[` without `]`: the rest of the text is taken as the expression";
    FUNC_MISSING_PARENTHESIS = "E203" "func-missing-parenthesis" Warning "a function call without `)`";
    EXPR_SYNTAX = "E204" "expr-syntax" Warning "syntax error in an expression";
    EXPR_NON_NUMERIC = "E205" "expr-non-numeric" Warning "a text where a number was needed";
    EXPR_DIVISION_BY_ZERO = "E206" "expr-division-by-zero" Warning "division by zero";
    EXPR_MODULO_BY_ZERO = "E207" "expr-modulo-by-zero" Warning "remainder of a division by zero";
    EXPR_OVERFLOW = "E208" "expr-overflow" Warning "overflow in an expression";
    EXPR_BAD_REGEX = "E209" "expr-bad-regex" Warning "a regular expression is not valid";
    EXPR_FUNC_BAD_NAME = "E210" "expr-func-bad-name" Error "not a possible function name";
    EXPR_FUNC_UNKNOWN = "E211" "expr-func-unknown" Warning "no such function inside `$[ ]`";
    EXPR_FUNC_UNAVAILABLE = "E212" "expr-func-unavailable" Error "no such function inside `$[ ]`";
    EXPR_FUNC_NOT_READABLE = "E213" "expr-func-not-readable" Error "the function cannot be read inside `$[ ]`";
    EXPR_FUNC_WRONG_ARG_COUNT = "E214" "expr-func-wrong-arg-count" Warning "wrong number of arguments";
    SUBSTITUTION_TOO_DEEP = "E215" "substitution-too-deep" Error "substitutions nest more than 15 deep";
    // Linking.
    FUNC_UNKNOWN = "E301" "func-unknown" Error "no such function";
    FUNC_NOT_READABLE = "E302" "func-not-readable" Error "the function cannot be read";
    FUNC_NOT_WRITABLE = "E303" "func-not-writable" Error "the function cannot be written to";
    APPLICATION_UNKNOWN = "E304" "application-unknown" Warning "no such application";
    // The file of the store.
    STORE_UNREADABLE = "E401" "store-unreadable" Error "the file of the store cannot be opened";
    STORE_IN_USE = "E402" "store-in-use" Error "another process has the file of the store open";
    STORE_OTHER_FILE = "E403" "store-other-file" Error "the file is no store";
    STORE_DAMAGED = "E404" "store-damaged" Error "the file of the store is damaged";
    // Rules.
    RULE_SYNTAX = "P601" "rule-syntax" Error "a statement of SQL is not understood; it has no effect";
    RULE_TABLE_UNKNOWN = "P602" "rule-table-unknown" Error "a table that holds no query rules; the statement has no effect";
    RULE_COLUMN_UNKNOWN = "P603" "rule-column-unknown" Error "a column that the table does not have; the statement has no effect";
    RULE_VALUE_COUNT = "P604" "rule-value-count" Error "more or fewer values than columns; the statement has no effect";
    RULE_CHECK = "P605" "rule-check" Error "a value that the table refuses; the statement has no effect";
    RULE_UNIQUE = "P606" "rule-unique" Error "a row of the same key is there already; the statement has no effect";
    RULE_NOT_NULL = "P607" "rule-not-null" Error "NULL where the table wants a value; the statement has no effect";
    RULE_PATTERN = "P608" "rule-pattern" Error "a pattern that means nothing; it never matches, and negated it always does";
    RULE_CLIENT_ADDRESS = "P609" "rule-client-address" Error "a client address with `%` before its end; the rule is not loaded";
    RULE_ATTRIBUTES = "P610" "rule-attributes" Error "attributes whose weighted flags are not understood";
    RULE_DIGEST = "P611" "rule-digest" Error "a digest that is no number; the rule is for all digests";
    RULE_VARIABLE = "P612" "rule-variable" Error "a variable cannot have the value; it keeps its own";
    CHAIN_UNREACHABLE = "P621" "chain-unreachable" Warning "no rule leads to this flag";
    JUMP_BACKWARDS = "P622" "jump-backwards" Warning "flagOUT names a flag all of whose rules come before; they are not reached without iterations";
    JUMP_TO_NOTHING = "P623" "jump-to-nothing" Warning "flagOUT names a flag without rules";
    RULE_AFTER_CATCH_ALL = "P624" "rule-after-catch-all" Warning "a rule of the same flag before it takes every query and applies";
    RULE_SHADOWED = "P625" "rule-shadowed" Warning "a rule of the same flag before it asks for the same and applies";
    LAST_RULE_APPLIES = "P626" "last-rule-applies" Warning "the last rule has apply=1: fast routing is never asked, even where it does not match";
    CASE_LOST_IN_REPLACEMENT = "P627" "case-lost-in-replacement" Warning "RE2 replaces with regard to case, whatever re_modifiers says";
    MANY_LITERALS = "P628" "many-literals" Warning "many rules of one flag ask for plain texts, which ProxySQL tries one by one";
    JUMP_INTO_MIDDLE = "P629" "jump-into-middle" Warning "flagOUT names a flag some of whose rules come before; those are not reached without iterations";
    NOT_IN_PLAIN_STYLE = "P640" "not-in-plain-style" Error "standard applications cannot express the rule";
    NOT_IN_DIALPLAN = "P641" "not-in-dialplan" Error "a line of a dialplan cannot hold the rule";
    // Policies.
    POLICY_NAME_TWICE = "P701" "policy-name-twice" Error "a section of this name is there already; the first counts";
    POLICY_RULE_WITHOUT_FLOW = "P702" "policy-rule-without-flow" Notice "a rule has no flow, so it is about all packets";
    SUBSCRIBER_HEADER = "P703" "subscriber-header" Error "the first line of a file of subscribers names no column that finds them";
    SUBSCRIBER_ROW = "P704" "subscriber-row" Error "a row of a file of subscribers is left out";
    POLICY_ENTRY_MISSING = "P705" "policy-entry-missing" Error "the policy has no extension for this kind of decision";
    POLICY_FILE_UNREADABLE = "P706" "policy-file-unreadable" Error "a file that the policy needs cannot be read";
    SUBSCRIBER_NONE = "P707" "subscriber-none" Warning "a file of subscribers has none";
    POLICY_SETTING_TWICE = "P708" "policy-setting-twice" Error "a section has a setting twice; the last counts";
    POLICY_RULE_BOTH = "P709" "policy-rule-both" Error "a rule that the PCEF knows has settings of its own, which do not count";
    POLICY_RULE_EMPTY = "P710" "policy-rule-empty" Error "nothing says what a rule is";
    POLICY_READS_USAGE = "P721" "policy-reads-usage" Warning "the decision depends on each byte used, so that it runs at every report";
    POLICY_COMPUTED_NAME = "P722" "policy-computed-name" Warning "the name of what is read is computed: all of its kind must be kept ready";
    POLICY_VOLATILE = "P723" "policy-volatile" Warning "the decision depends on something that cannot be compared, so that it always runs";
    POLICY_PATTERN_LITERAL = "P724" "policy-pattern-literal" Warning "a letter of the pattern is a class of digits: `n`, `x` and `z` are, in lower case too";
    POLICY_INCLUDE_NEVER_WINS = "P725" "policy-include-never-wins" Warning "an extension of a timed include is never found, because another one of that name comes first";
    POLICY_APPLICATION_FOREIGN = "P726" "policy-application-foreign" Warning "the application has no place in a decision, which must not wait";
    POLICY_RULE_UNKNOWN = "P727" "policy-rule-unknown" Warning "rules.conf has no rule of this name; the PCEF must know it";
    POLICY_KEY_UNKNOWN = "P728" "policy-key-unknown" Warning "monitoring.conf has no key of this name, so it has no limit";
    POLICY_NOT_AN_INPUT = "P729" "policy-not-an-input" Warning "a decision has no such thing, so that it is always the same";
    // Run time: flow.
    LABEL_NOT_FOUND = "R901" "label-not-found" Notice "no such label in the extension";
    GOTO_TARGET_INVALID = "R902" "goto-target-invalid" Warning "the target is neither a priority nor a label; the call ends";
    GOTO_WITHOUT_ARGUMENT = "R903" "goto-without-argument" Warning "Goto without a target; the call ends";
    GOTOIFTIME_WITHOUT_ARGUMENT = "R904" "gotoiftime-without-argument" Warning "GotoIfTime without arguments";
    CONDITION_EMPTY = "R905" "condition-empty" Warning "a conditional application without arguments";
    GOSUB_TARGET_MISSING = "R906" "gosub-target-missing" Error "Gosub to a place that does not exist; the call ends";
    GOSUB_TARGET_INVALID = "R907" "gosub-target-invalid" Error "Gosub target not understood; the call ends";
    GOSUB_WITHOUT_ARGUMENT = "R908" "gosub-without-argument" Error "Gosub without a target";
    RETURN_WITHOUT_GOSUB = "R909" "return-without-gosub" Error "Return without Gosub; the call ends";
    STACKPOP_WITHOUT_GOSUB = "R910" "stackpop-without-gosub" Warning "StackPop on an empty stack";
    LOCAL_OUTSIDE_GOSUB = "R911" "local-outside-gosub" Error "LOCAL() outside a Gosub";
    ENDWHILE_MISSING = "R912" "endwhile-missing" Warning "no matching EndWhile";
    ENDIF_MISSING = "R913" "endif-missing" Warning "no matching EndIf";
    INVALID_EXTENSION_NO_HANDLER = "R914" "invalid-extension-no-handler" Warning "the call went to an extension that does not exist, and there is no `i`";
    TYPED_EXTENSION_INVALID_NO_HANDLER = "R915" "typed-extension-invalid-no-handler" Warning "dialled digits match nothing, and there is no `i`";
    TIMEOUT_NO_HANDLER = "R916" "timeout-no-handler" Warning "the wait for digits ended, and there is no `t`";
    SET_EMPTY = "R917" "set-empty" Warning "Set without arguments";
    SET_WITHOUT_EQUALS = "R918" "set-without-equals" Warning "Set without `=`";
    MSET_ENTRY_WITHOUT_EQUALS = "R920" "mset-entry-without-equals" Warning "an entry of MSet without `=`";
    SPACES_IN_VARIABLE_NAME = "R921" "spaces-in-variable-name" Warning "the name of a variable has blanks";
    SUBSTITUTION_NOT_CLOSED = "R922" "substitution-not-closed" Warning "a substitution is not closed";
    DIAL_TECHNOLOGY_UNKNOWN = "R923" "dial-technology-unknown" Warning "no such channel technology";
    DIAL_ARGUMENT_INVALID = "R924" "dial-argument-invalid" Warning "a Dial destination is not `technology/resource`";
    DIAL_TIMEOUT_INVALID = "R925" "dial-timeout-invalid" Warning "the answer timeout is not a number";
    LOCAL_EXTENSION_MISSING = "R926" "local-extension-missing" Notice "a Local channel to an extension that does not exist";
    UNKNOWN_OPTION = "R927" "unknown-option" Warning "an option letter is not known";
    HANGUP_CAUSE_INVALID = "R928" "hangup-cause-invalid" Warning "the hangup cause is not known";
    LOG_LEVEL_UNKNOWN = "R929" "log-level-unknown" Error "the log level is not known";
    CHANNEL_ITEM_UNKNOWN = "R930" "channel-item-unknown" Warning "no such item of CHANNEL()";
    GOSUB_ABNORMAL_EXIT = "R931" "gosub-abnormal-exit" Warning "a subroutine ended without Return";
    EXEC_USAGE = "R932" "exec-usage" Error "the arguments of ExecIf are not understood; the call ends";
    OPTION_NOT_CLOSED = "R933" "option-not-closed" Warning "an option argument without `)`";
    GOSUBIF_USAGE = "R935" "gosubif-usage" Warning "the arguments of GosubIf are not understood";
    EXECIFTIME_USAGE = "R939" "execiftime-usage" Warning "the arguments of ExecIfTime are not understood; the call ends";
    ARGUMENT_MISSING = "R936" "argument-missing" Warning "an application was called without a required argument";
    WAIT_TIME_INVALID = "R937" "wait-time-invalid" Warning "a time to wait is not understood";
    VERBOSE_LEVEL_INVALID = "R938" "verbose-level-invalid" Warning "the level of Verbose is not a number";
    // Run time: functions.
    BAD_ARGUMENT = "R940" "bad-argument" Warning "a function got a missing or unknown argument";
    BAD_REGEX = "R941" "bad-regex" Warning "a regular expression is not valid";
    CUT_FIELD_ORDER = "R942" "cut-field-order" Warning "CUT fields go backwards";
    FILTER_QUOTE = "R943" "filter-quote" Warning "a quote in FILTER's characters";
    FILTER_RANGE_WRAPS = "R944" "filter-range-wraps" Warning "a range of FILTER is reversed";
    ICONV_CHARSET = "R946" "iconv-charset" Error "a character set is not known";
    ICONV_CONVERSION = "R947" "iconv-conversion" Warning "the text cannot be converted";
    JSON_BAD_SEPARATOR = "R948" "json-bad-separator" Warning "the separator of JSON_DECODE is not one character";
    JSON_PARSE = "R949" "json-parse" Warning "the JSON text is not valid";
    MATH_MISSING_OPERAND = "R950" "math-missing-operand" Warning "MATH without an operand or operator";
    MATH_UNKNOWN_TYPE = "R951" "math-unknown-type" Warning "the result type of MATH is not known";
    NOT_A_NUMBER = "R952" "not-a-number" Warning "a text where a number was needed";
    OUTSIDE_FAILED = "R979" "outside-failed" Warning "a server, or another thing outside of the engine, gave no answer";
    NOT_FOUND = "R953" "not-found" Warning "what a function looked for does not exist";
    SPRINTF_BAD_FORMAT = "R954" "sprintf-bad-format" Error "the format of SPRINTF is not understood";
    SPRINTF_TOO_FEW_ARGUMENTS = "R955" "sprintf-too-few-arguments" Error "SPRINTF has fewer arguments than its format needs";
    STRFTIME_EMPTY = "R956" "strftime-empty" Warning "STRFTIME printed nothing";
    STRPTIME_NO_MATCH = "R957" "strptime-no-match" Warning "STRPTIME cannot read the time";
    VARIABLE_MISSING = "R958" "variable-missing" Notice "the variable has no value";
    RULE_INVALID = "R959" "rule-invalid" Error "the arguments of ExecRule are not understood; the rule does nothing";
    STORE_FAILED = "R960" "store-failed" Error "the store behind DB() cannot be read or written";
    // Run time: decisions.
    DECISION_ARGUMENT = "R961" "decision-argument" Warning "an argument of a decision is not understood; that part counts as not said";
    DECISION_MISSING = "R962" "decision-missing" Warning "there is no decision that this could read or decide";
    DECISION_WAITS = "R963" "decision-waits" Error "a decision must not wait; the request is refused";
    DECISION_RULE_UNKNOWN = "R964" "decision-rule-unknown" Warning "rules.conf has no rule of this name; the PCEF must know it";
    DECISION_KEY_UNKNOWN = "R965" "decision-key-unknown" Warning "monitoring.conf has no key of this name, so it has no limit";
    // Run time: limits and refusals.
    LIMIT_PRIORITIES = "R970" "limit-priorities" Error "the call executed more priorities than allowed";
    LIMIT_GOSUB_DEPTH = "R971" "limit-gosub-depth" Error "Gosubs nest deeper than allowed";
    LIMIT_SUBSTITUTIONS = "R978" "limit-substitutions" Error "one text makes functions evaluate more texts than allowed";
    LIMIT_MEMORY = "R972" "limit-memory" Error "the call holds more memory than allowed";
    LIMIT_NESTING = "R975" "limit-nesting" Error "applications that run each other nest deeper than allowed";
    LIMIT_CHANNELS = "R976" "limit-channels" Error "a simulated call made more channels than allowed";
    LIMIT_EVENTS = "R977" "limit-events" Error "more happened in a simulated call than allowed";
    VALUE_CUT = "R973" "value-cut" Notice "a value was cut at Asterisk's limit";
    NOT_ALLOWED = "R974" "not-allowed" Error "the engine does not allow this application or function";
}

/// The code with this id.
pub fn by_id(id: &str) -> Option<&'static Code> {
    ALL.iter().copied().find(|c| c.id.eq_ignore_ascii_case(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn ids_are_unique() {
        let ids: BTreeSet<_> = ALL.iter().map(|c| c.id).collect();
        assert_eq!(ids.len(), ALL.len());
    }
}

/// A code stands by its id.
#[cfg(feature = "serde")]
mod form {
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::{Serialize, Serializer};

    use super::{Code, by_id};

    impl Serialize for Code {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_str(self.id)
        }
    }

    impl<'de> Deserialize<'de> for &'static Code {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let id = String::deserialize(deserializer)?;
            by_id(&id).ok_or_else(|| D::Error::custom(format!("no code `{id}`")))
        }
    }
}
