//! The instructions of compiled texts, and the operations of compiled lines.

use crate::program::expression::Comparison;
use crate::program::line::Step;
use crate::program::slots::Slot;

macro_rules! instructions {
    ($($(#[doc = $doc:literal])+ $name:ident $(($($operand:ty),+))?;)*) => {
        /// One instruction of a compiled text. Texts are built at the end of one output; values stand on a stack.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Instruction {
            $($(#[doc = $doc])+ $name $(($($operand),+))?,)*
        }
        impl Instruction {
            /// Its name in listings.
            pub fn name(&self) -> &'static str {
                match self { $(Instruction::$name { .. } => stringify!($name),)* }
            }
        }
    };
}

instructions! {
    /// Appends a constant.
    Literal(Constant);
    /// Appends the value of a slot, or of the global of that name.
    Slot(Slot);
    /// The same, cut.
    SlotCut(Slot, CutId);
    /// Appends a variable that the core computes.
    Core(Core);
    /// The same, cut.
    CoreCut(Core, CutId);
    /// Marks the end of the output: a function's arguments, or the text of a value, begin here. The number is the
    /// length of what Asterisk holds before it in the same buffer: the function's name with its parenthesis.
    Open(u16);
    /// Reads a function; its arguments are the output since the last mark, which its value replaces.
    Call(CallId);
    /// Reads the output since the last mark as the inside of a `${ }`, whose value replaces it.
    Read;
    /// Puts the value of a slot on the stack.
    PushSlot(Slot);
    /// Puts the output since the last mark on the stack.
    PushText;
    /// Evaluates an expression over the values on the stack and appends the result.
    Expression(ExpressionId);
    /// The same; the result stays on the stack.
    ExpressionValue(ExpressionId);
    /// Appends the substitution of a constant by the textual evaluator.
    Textual(Constant);
    /// The end of a text.
    End;
}

/// Index of a constant text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Constant(pub u32);

/// Index of an offset and length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CutId(pub u32);

/// Index of a function call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CallId(pub u32);

/// Index of a compiled expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ExpressionId(pub u32);

/// Start of a compiled text in the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CodeId(pub u32);

macro_rules! core_variables {
    ($($name:ident = $text:literal $channel:literal;)*) => {
        /// Variables that Asterisk's core computes; a Set of their name can never be read back.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Core { $(#[doc = $text] $name),* }
        impl Core {
            /// The variable of a name.
            pub fn named(name: &[u8]) -> Option<Self> {
                $(if name == $text.as_bytes() { return Some(Core::$name); })*
                None
            }
            /// Its name.
            pub fn name(self) -> &'static str {
                match self { $(Core::$name => $text),* }
            }
            /// Whether it needs a channel: without one the name is an ordinary one.
            pub fn needs_channel(self) -> bool {
                match self { $(Core::$name => $channel),* }
            }
        }
    };
}

core_variables! {
    Exten = "EXTEN" true;
    Context = "CONTEXT" true;
    Priority = "PRIORITY" true;
    Channel = "CHANNEL" true;
    Uniqueid = "UNIQUEID" true;
    HangupCause = "HANGUPCAUSE" true;
    Hint = "HINT" true;
    HintName = "HINTNAME" true;
    CallingPres = "CALLINGPRES" true;
    CallingAni2 = "CALLINGANI2" true;
    CallingTon = "CALLINGTON" true;
    CallingTns = "CALLINGTNS" true;
    Epoch = "EPOCH" false;
    SystemName = "SYSTEMNAME" false;
    EntityId = "ENTITYID" false;
    CacheDir = "ASTCACHEDIR" false;
    EtcDir = "ASTETCDIR" false;
    ModDir = "ASTMODDIR" false;
    VarLibDir = "ASTVARLIBDIR" false;
    DbDir = "ASTDBDIR" false;
    KeyDir = "ASTKEYDIR" false;
    DataDir = "ASTDATADIR" false;
    AgiDir = "ASTAGIDIR" false;
    SpoolDir = "ASTSPOOLDIR" false;
    RunDir = "ASTRUNDIR" false;
    LogDir = "ASTLOGDIR" false;
    SbinDir = "ASTSBINDIR" false;
}

/// What a line does on the direct path. Each carries a guard; where it does not hold, where somebody
/// watches, or where the lookup is not steady, the line runs as `General`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Substitute the data, run the application.
    General,
    /// Nothing can be seen of this line: go on.
    Nothing,
    /// Go to a fixed line of the same extension, which the line's way onward says.
    Jump,
    /// Set a slot to a non-negative integer.
    SetInteger {
        /// Which slot.
        slot: Slot,
        /// The integer.
        value: u32,
    },
    /// Set a slot to another slot plus a constant.
    Add {
        /// Which slot.
        slot: Slot,
        /// The other slot.
        from: Slot,
        /// The constant.
        add: i32,
    },
    /// Add a constant to a slot that holds an integer. A counter is mostly compared next: where the way leads to a
    /// comparison, that is done at once.
    Count {
        /// Which slot.
        slot: Slot,
        /// The constant.
        add: i32,
    },
    /// Branch on whether one slot is less than another, both integers. All orders come down to this one, with sides
    /// or ways exchanged.
    BranchLess {
        /// Left slot.
        left: u16,
        /// Right slot.
        right: u16,
        /// The way if it holds.
        yes: Step,
        /// The way if not.
        no: Step,
    },
    /// Branch on whether a slot is less than a constant.
    BranchLessThan {
        /// Left slot.
        left: u16,
        /// The constant.
        right: i32,
        /// The way if it holds.
        yes: Step,
        /// The way if not.
        no: Step,
    },
    /// Branch on whether two slots hold the same integer.
    BranchEqual {
        /// Left slot.
        left: u16,
        /// Right slot.
        right: u16,
        /// The way if it holds.
        yes: Step,
        /// The way if not.
        no: Step,
    },
    /// Branch on whether a slot holds an integer.
    BranchEqualTo {
        /// Left slot.
        left: u16,
        /// The integer.
        right: i32,
        /// The way if it holds.
        yes: Step,
        /// The way if not.
        no: Step,
    },
    /// Set a slot to a constant text.
    SetConstant {
        /// Which slot.
        slot: Slot,
        /// The constant.
        constant: Constant,
    },
    /// Set a slot to the value of a straight text: one that can be evaluated at once, with nothing to be seen of it.
    SetStraight {
        /// Which slot.
        slot: Slot,
        /// The text.
        code: CodeId,
    },
    /// Branch on whether the text of a slot, between quotes, is a constant between quotes.
    BranchSame {
        /// Which slot.
        slot: u16,
        /// The constant, without its quotes.
        constant: Constant,
        /// The way if it holds.
        yes: Step,
        /// The way if not.
        no: Step,
    },
    /// Branch on the truth of a straight text.
    BranchStraight {
        /// The text.
        code: CodeId,
        /// The way if true.
        yes: Step,
        /// The way if not.
        no: Step,
    },
    /// One of a chain of branches on the same value: the first that holds is found in one step.
    Select {
        /// Index of the chain.
        selector: u32,
        /// The place in the chain.
        place: u32,
    },
    /// Set a slot to the value of a compiled text.
    SetValue {
        /// Which slot.
        slot: Slot,
        /// The text.
        code: CodeId,
    },
    /// Branch on the truth of a compiled text.
    BranchText {
        /// The text.
        code: CodeId,
        /// Line if true.
        yes: u32,
        /// Line if not.
        no: u32,
    },
}

impl Operation {
    /// Whether it works on texts.
    #[inline]
    pub fn is_straight(&self) -> bool {
        matches!(
            self,
            Operation::SetConstant { .. }
                | Operation::SetStraight { .. }
                | Operation::BranchSame { .. }
                | Operation::BranchStraight { .. }
                | Operation::Select { .. }
        )
    }
}

/// A direct operation as an application's compile hook gives it, before the ways are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direct {
    /// An operation that goes on at the next line.
    Next(Operation),
    /// A jump to a line.
    Jump(u32),
    /// A branch to one of two lines; [`NONE`](super::line::NONE) is the end of the extension.
    Branch(Condition, u32, u32),
}

/// The condition of a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// Two slots compared.
    Slots(Comparison, u16, u16),
    /// A slot compared with a constant.
    Constant(Comparison, u16, i32),
    /// The quoted text of a slot compared with a quoted constant: equal or not equal.
    Same(bool, u16, Constant),
    /// The truth of a straight text.
    Straight(CodeId),
    /// The truth of any compiled text.
    Text(CodeId),
}
