//! AGI, EAGI, `ExternalIVR`, `AudioSocket`, `ADSIProg`, `GetCPEID`, `AlarmReceiver`, `TestClient`, `TestServer`, `IVRDemo`, SMS,
//! `DAHDIScan`: programs and hardware that the engine does not reach. Each is known, and says why it does nothing.

use crate::diagnostic::code;
use crate::library::{Application, Support};
use crate::machine::{Cx, Flow};

macro_rules! refused {
    ($($static:ident $name:literal $synopsis:literal $syntax:literal $doc:literal $why:literal $then:expr;)*) => {$(
        #[doc = $synopsis]
        pub static $static: Application = Application::new(
            $name,
            $synopsis,
            $syntax,
            $doc,
            |cx, _| {
                tell(cx, $name, $why);
                let then: fn(&mut Cx<'_>) -> Flow = $then;
                then(cx)
            },
        )
        .support(Support::Refused($why));
    )*};
}

refused! {
    AGI "AGI" "Let a program steer the call." "command[,argument[,...]]"
        "Would run a program that steers the call over its standard input and output. AGISTATUS is FAILURE, and the call \
         goes on."
        "needs a script host" no_script;
    EAGI "EAGI" "Let a program steer the call and hear it." "command[,argument[,...]]"
        "Would run a program as AGI does, with the audio of the caller. AGISTATUS is FAILURE, and the call goes on."
        "needs a script host" no_script;
    EXTERNAL_IVR "ExternalIVR" "Let a program play files by digits." "command|ivr://host[,options]"
        "Would run a program that hears of digits and queues files. The call goes on."
        "needs a script host" |_| Flow::Next;
    AUDIO_SOCKET "AudioSocket" "Hand the audio to a server." "uuid,host:port"
        "Would send the audio to a server. As without a connection, the call ends."
        "needs a script host" |_| Flow::Leave;
    ADSI_PROG "ADSIProg" "Load a program into an ADSI telephone." "[script]"
        "Would load a program into an analog telephone with a display. The call goes on."
        "needs an ADSI telephone" |_| Flow::Next;
    GET_CPEID "GetCPEID" "Ask an ADSI telephone for its id." ""
        "Would ask an analog telephone with a display for its id. The call goes on."
        "needs an ADSI telephone" |_| Flow::Next;
    ALARM_RECEIVER "AlarmReceiver" "Take reports of burglar alarms." ""
        "Would take the reports of alarm panels. The call ends."
        "needs the tones of an alarm panel" |_| Flow::Leave;
    TEST_CLIENT "TestClient" "Test a line as the calling side." "id"
        "Would run a test of the line against TestServer. The call ends."
        "needs the audio of a line" |_| Flow::Leave;
    TEST_SERVER "TestServer" "Test a line as the called side." ""
        "Would run a test of the line against TestClient. The call ends."
        "needs the audio of a line" |_| Flow::Leave;
    IVR_DEMO "IVRDemo" "A menu that shows how menus are built." "file"
        "Would run a menu built into the code. The call goes on."
        "a demonstration of another program's code" |_| Flow::Next;
    SMS "SMS" "Speak with the SMS centre of a fixed network." "name[,options[,address[,text]]]"
        "Would exchange short messages by modem tones. The call ends."
        "needs modem tones" |_| Flow::Leave;
    DAHDI_SCAN "DAHDIScan" "Listen to DAHDI channels." "[group]"
        "Would listen to hardware channels one after the other. The call ends."
        "needs DAHDI hardware" |_| Flow::Leave;
}

fn tell(cx: &mut Cx<'_>, name: &'static str, why: &'static str) {
    cx.log(&code::NOT_ALLOWED, || format!("{name} {why}"));
}

fn no_script(cx: &mut Cx<'_>) -> Flow {
    cx.set(b"AGISTATUS", b"FAILURE");
    Flow::Next
}
