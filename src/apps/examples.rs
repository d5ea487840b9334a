//! An example of each application, for documentation and as a test. Descriptors that have examples of their own keep
//! those. Whoever runs them plays a host with one channel: what needs another one fails.

use crate::library::Example;

macro_rules! examples {
    ($($name:literal: $title:literal $dialplan:literal $evaluate:literal $expect:literal;)*) => {
        /// The examples of an application.
        pub(crate) fn of(name: &str) -> &'static [Example] {
            match name {
                $($name => &[Example {
                    title: $title,
                    dialplan: $dialplan,
                    evaluate: $evaluate,
                    expect: $expect,
                }],)*
                _ => &[],
            }
        }
    };
}

examples! {
    "AddQueueMember": "An agent joins a queue" "AddQueueMember(support,PJSIP/alice)" "${AQMSTATUS}" "ADDED";
    "ADSIProg": "Known, and passed" "ADSIProg(asterisk.adsi)" "on" "on";
    "AGI": "Refused" "AGI(lookup.sh,${EXTEN})" "${AGISTATUS}" "FAILURE";
    "AgentLogin": "An agent logs in" "AgentLogin(1001,s)" "[${AGENT_STATUS}]" "[]";
    "AgentRequest": "Ask for an agent" "AgentRequest(1001)" "[${AGENT_STATUS}]" "[]";
    "AlarmReceiver": "The call ends here" "AlarmReceiver()" "not reached" "";
    "Answer": "Take the call" "Answer()" "${CHANNEL(state)}" "Up";
    "AttendedTransfer": "Hand over to a colleague" "AttendedTransfer(1234)" "${ATTENDEDTRANSFERSTATUS}" "SUCCESS";
    "AudioSocket": "The call ends here" "AudioSocket(40325ec2-5efd-4bd3-805f-53576e581d13,192.0.2.1:9092)" "not reached" "";
    "Authenticate": "Nothing entered three times: the call ends" "Authenticate(1234)" "not reached" "";
    "BackGround": "A menu" "BackGround(welcome&press-1)" "${BACKGROUNDSTATUS}" "SUCCESS";
    "BackgroundDetect": "Listen while a file plays" "BackgroundDetect(welcome)" "on" "on";
    "BlindTransfer": "Send the other side away" "BlindTransfer(1234,phones)" "${BLINDTRANSFERSTATUS}" "SUCCESS";
    "BridgeAdd": "A channel that is not there" "BridgeAdd(PJSIP/bob-00000001)" "${BRIDGERESULT}" "NONEXISTENT";
    "BridgeWait": "Wait in a holding bridge" "BridgeWait(lobby,participant)" "on" "on";
    "Broadcast": "Speak to two channels" "Broadcast(,PJSIP/a-00000001,PJSIP/b-00000002)" "on" "on";
    "Busy": "A busy tone, then the call ends" "Busy(5)" "not reached" "";
    "CallCompletionCancel": "No longer wanted" "CallCompletionCancel()" "${CC_CANCEL_RESULT}" "SUCCESS";
    "CallCompletionRequest": "Call me back" "CallCompletionRequest()" "${CC_REQUEST_RESULT}" "SUCCESS";
    "CELGenUserEvent": "An event of one's own" "CELGenUserEvent(LOOKUP,miss)" "on" "on";
    "ChanSpy": "Listen to an agent" "ChanSpy(PJSIP/alice,q)" "on" "on";
    "ChannelRedirect": "A channel that is not there" "ChannelRedirect(PJSIP/bob-00000001,main,s,1)" "${CHANNELREDIRECT_STATUS}" "NOCHANNEL";
    "ConfBridge": "A conference" "ConfBridge(1000)" "${CONFBRIDGE_RESULT}" "DTMF";
    "ConfKick": "Empty a conference" "ConfKick(1000,all)" "${CONFKICKSTATUS}" "SUCCESS";
    "Congestion": "A congestion tone, then the call ends" "Congestion(5)" "not reached" "";
    "ContinueWhile": "Odd numbers only"
        "Set(i=0)\nSet(odd=)\nWhile($[${i} < 5])\nSet(i=$[${i} + 1])\nExecIf($[${i} % 2 = 0]?ContinueWhile())\nSet(odd=${odd}${i})\nEndWhile()"
        "${odd}" "135";
    "DAHDIScan": "The call ends here" "DAHDIScan()" "not reached" "";
    "DateTime": "A time" "DateTime(1767225600,UTC,A)" "on" "on";
    "DBdeltree": "Forget a family" "Set(DB(cidname/812)=Bob)\nDBdeltree(cidname)" "[${DB(cidname/812)}]" "[]";
    "Dial": "Nobody there" "Dial(PJSIP/bob,20)" "${DIALSTATUS}" "CHANUNAVAIL";
    "Dictate": "A dictation" "Dictate(/var/spool/dictate)" "on" "on";
    "Directory": "By name" "Directory(default,phones)" "on" "on";
    "DISA": "Nothing dialled: the call ends" "DISA(no-password,outgoing)" "not reached" "";
    "DumpChan": "To the console" "DumpChan(3)" "on" "on";
    "EAGI": "Refused" "EAGI(recognize.sh)" "${AGISTATUS}" "FAILURE";
    "Echo": "Until the caller hangs up" "Echo()" "not reached" "";
    "Else": "The other branch" "If($[2 > 3])\nSet(x=yes)\nElse()\nSet(x=no)\nEndIf()" "${x}" "no";
    "ElseIf": "The second condition" "Set(n=5)\nIf($[${n} < 3])\nSet(x=few)\nElseIf($[${n} < 10])\nSet(x=some)\nEndIf()" "${x}" "some";
    "EndIf": "After the block" "If(0)\nSet(x=1)\nEndIf()" "[${x}]" "[]";
    "EndWhile": "Three times" "Set(i=0)\nWhile($[${i} < 3])\nSet(i=$[${i} + 1])\nEndWhile()" "${i}" "3";
    "Exec": "An application by name" "Set(app=Set)\nExec(${app}(x=1))" "${x}" "1";
    "ExecIf": "By condition" "ExecIf($[\"${CALLERID(num)}\" = \"\"]?Set(CALLERID(num)=anonymous))" "${CALLERID(num)}" "anonymous";
    "ExecIfTime": "At any time" "ExecIfTime(*,*,*,*?Set(open=yes))" "${open}" "yes";
    "ExitIf": "Out of the block" "If(1)\nExitIf()\nSet(x=1)\nEndIf()" "[${x}]" "[]";
    "ExitWhile": "Out of the loop" "Set(i=0)\nWhile(1)\nSet(i=$[${i} + 1])\nExecIf($[${i} = 4]?ExitWhile())\nEndWhile()" "${i}" "4";
    "ExtenSpy": "Listen to a telephone" "ExtenSpy(812@phones,q)" "on" "on";
    "ExternalIVR": "Known, and passed" "ExternalIVR(/usr/local/bin/menu)" "on" "on";
    "FollowMe": "Look for somebody" "FollowMe(bob)" "on" "on";
    "ForkCDR": "A second record" "ForkCDR()" "on" "on";
    "GetCPEID": "Known, and passed" "GetCPEID()" "on" "on";
    "Gosub": "A subroutine of the same extension" "Gosub(3(21))\nGoto(5)\nSet(twice=$[${ARG1} * 2])\nReturn()\nNoOp()" "${twice}" "42";
    "GosubIf": "No place for false: nothing happens" "GosubIf($[1 > 2]?sub,1(a))" "on" "on";
    "Goto": "Over a line" "Goto(3)\nSet(x=1)\nNoOp()" "[${x}]" "[]";
    "GotoIf": "By condition" "GotoIf($[2 > 1]?3)\nSet(x=1)\nNoOp()" "[${x}]" "[]";
    "GotoIfTime": "At any time" "GotoIfTime(*,*,*,*?3)\nSet(closed=1)\nNoOp()" "[${closed}]" "[]";
    "Hangup": "The call ends here" "Hangup(17)" "not reached" "";
    "HangupCauseClear": "Forget the causes of a Dial before the next one" "HangupCauseClear()" "[${HANGUPCAUSE_KEYS()}]" "[]";
    "If": "A block" "If($[3 > 2])\nSet(x=yes)\nEndIf()" "${x}" "yes";
    "Incomplete": "More digits are needed: the call goes on elsewhere" "Incomplete(n)" "not reached" "";
    "IVRDemo": "Known, and passed" "IVRDemo(menu)" "on" "on";
    "Log": "A line in the log" "Log(NOTICE,${CHANNEL} dials ${EXTEN})" "on" "on";
    "MessageSend": "A message" "Set(MESSAGE(body)=On my way)\nMessageSend(pjsip:bob)" "${MESSAGE_SEND_STATUS}" "SUCCESS";
    "Milliwatt": "Until the caller hangs up" "Milliwatt()" "not reached" "";
    "MinivmAccMess": "A greeting" "MinivmAccMess(bob@example.com,u)" "${MVM_ACCMESS_STATUS}" "SUCCESS";
    "MinivmDelete": "Delete the message" "MinivmDelete()" "${MVM_DELETE_STATUS}" "SUCCESS";
    "MinivmGreet": "Greet" "MinivmGreet(bob@example.com,u)" "${MVM_GREET_STATUS}" "SUCCESS";
    "MinivmMWI": "Light the lamp" "MinivmMWI(bob@example.com,0,1,0)" "on" "on";
    "MinivmNotify": "Send by mail" "MinivmNotify(bob@example.com)" "${MVM_NOTIFY_STATUS}" "SUCCESS";
    "MinivmRecord": "Record" "MinivmRecord(bob@example.com)" "${MVM_RECORD_STATUS}" "SUCCESS";
    "Morsecode": "In Morse code" "Morsecode(CQ CQ)" "on" "on";
    "MP3Player": "A stream" "MP3Player(http://example.com/stream)" "on" "on";
    "MSet": "Two at once" "MSet(a=1,b=\"2,3\")" "${a}/${b}" "1/2,3";
    "MusicOnHold": "Half a minute of music" "MusicOnHold(default,30)" "on" "on";
    "NoOp": "A remark for the console" "NoOp(caller is ${CALLERID(num)})" "on" "on";
    "Originate": "A call back that fails" "Originate(PJSIP/bob,exten,main,s,1,20)" "${ORIGINATE_STATUS}" "FAILED";
    "Page": "An announcement" "Page(PJSIP/a&PJSIP/b,i)" "on" "on";
    "Park": "Park" "Park(default)" "on" "on";
    "ParkAndAnnounce": "Park, and tell the reception" "ParkAndAnnounce(,,pbx-parked:PARKED,PJSIP/reception)" "on" "on";
    "ParkedCall": "Nobody is parked there" "ParkedCall(default,701)" "not reached" "";
    "PauseQueueMember": "A break" "PauseQueueMember(support,PJSIP/alice,,lunch)" "${PQMSTATUS}" "PAUSED";
    "Pickup": "The call leaves with the one that it took" "Pickup(812@phones)" "not reached" "";
    "PickupChan": "The call leaves with the one that it took" "PickupChan(PJSIP/alice)" "not reached" "";
    "Playback": "Two files" "Playback(tt-weasels&vm-goodbye)" "${PLAYBACKSTATUS}" "SUCCESS";
    "PlayTones": "A tone that goes on" "PlayTones(dial)" "on" "on";
    "Proceeding": "Tell that it goes on" "Proceeding()" "on" "on";
    "Progress": "Early media" "Progress()" "on" "on";
    "QueueLog": "An event of one's own" "QueueLog(support,1767225600.1,alice,COFFEE,5)" "on" "on";
    "QueueUpdate": "Count a call" "QueueUpdate(support,1767225600.1,alice,ANSWERED,60)" "on" "on";
    "RaiseException": "The call goes to extension e, or ends" "RaiseException(no-credit)" "not reached" "";
    "Read": "Nobody presses anything" "Read(pin,enter-pin,4,,1,5)" "${READSTATUS}[${pin}]" "TIMEOUT[]";
    "ReadExten": "Nobody presses anything" "ReadExten(target,,phones,,5)" "${READEXTENSTATUS}" "TIMEOUT";
    "ReceiveMF": "No digits come" "ReceiveMF(number,5)" "${RECEIVEMFSTATUS}" "TIMEOUT";
    "ReceiveSF": "No digits come" "ReceiveSF(number,4,5)" "${RECEIVESFSTATUS}" "TIMEOUT";
    "ReceiveText": "Nobody writes" "ReceiveText(5)" "${RECEIVETEXTSTATUS}" "FAILURE";
    "Record": "A greeting" "Record(/tmp/greeting.wav,3,30)" "on" "on";
    "Reload": "Read a module's configuration" "Reload(app_queue.so)" "${RELOADSTATUS}" "SUCCESS";
    "RemoveQueueMember": "An agent leaves a queue" "RemoveQueueMember(support,PJSIP/alice)" "${RQMSTATUS}" "REMOVED";
    "ResetCDR": "Begin the record anew" "ResetCDR()" "on" "on";
    "RetryDial": "Three times nobody" "RetryDial(tt-weasels,1,2,PJSIP/bob)" "${DIALSTATUS}" "CHANUNAVAIL";
    "Return": "Without a Gosub the call ends" "Return(1)" "not reached" "";
    "Ringing": "Let the caller hear ringing" "Ringing()" "on" "on";
    "SayAlpha": "Spell" "SayAlpha(AB12)" "on" "on";
    "SayAlphaCase": "Spell with cases" "SayAlphaCase(a,aB)" "on" "on";
    "SayCountedAdj": "An adjective by number" "SayCountedAdj(2,new,f)" "on" "on";
    "SayCountedNoun": "A noun by number" "SayCountedNoun(2,message)" "on" "on";
    "SayDigits": "One by one" "SayDigits(1234)" "on" "on";
    "SayMoney": "An amount" "SayMoney(12.50)" "on" "on";
    "SayNumber": "A number" "SayNumber(1234)" "on" "on";
    "SayOrdinal": "A place" "SayOrdinal(3)" "on" "on";
    "SayPhonetic": "By words" "SayPhonetic(AB12)" "on" "on";
    "SayUnixTime": "A time" "SayUnixTime(1767225600,UTC,HM)" "on" "on";
    "SendDTMF": "Keys for a menu elsewhere" "SendDTMF(1w2#)" "on" "on";
    "SendMF": "Digits for a trunk" "SendMF(*5551234#)" "on" "on";
    "SendSF": "Digits for a trunk" "SendSF(5551234)" "on" "on";
    "Set": "A variable" "Set(greeting=hello, world)" "${greeting}" "hello, world";
    "SLAStation": "A line key" "SLAStation(station1_line1)" "${SLASTATION_STATUS}" "SUCCESS";
    "SLATrunk": "A call on a line" "SLATrunk(line1)" "${SLATRUNK_STATUS}" "SUCCESS";
    "SMS": "The call ends here" "SMS(default,s,5551234,hello)" "not reached" "";
    "SoftHangup": "End the call of a telephone" "SoftHangup(PJSIP/bob,a)" "on" "on";
    "SpeechActivateGrammar": "A grammar" "SpeechActivateGrammar(yesno)" "on" "on";
    "SpeechBackground": "Ask and listen" "SpeechBackground(yes-or-no,5)" "on" "on";
    "SpeechCreate": "A recognizer" "SpeechCreate(demo)" "[${ERROR}]" "[]";
    "SpeechDeactivateGrammar": "No longer this grammar" "SpeechDeactivateGrammar(yesno)" "on" "on";
    "SpeechDestroy": "Give it back" "SpeechDestroy()" "on" "on";
    "SpeechLoadGrammar": "A grammar for this call" "SpeechLoadGrammar(yesno,/etc/grammars/yesno.gram)" "on" "on";
    "SpeechProcessingSound": "Something to hear" "SpeechProcessingSound(typing)" "on" "on";
    "SpeechStart": "Listen from now on" "SpeechStart()" "on" "on";
    "SpeechUnloadGrammar": "Forget it" "SpeechUnloadGrammar(yesno)" "on" "on";
    "StackPop": "Nothing to forget" "StackPop()" "on" "on";
    "StartMusicOnHold": "Music from now on" "StartMusicOnHold(default)" "on" "on";
    "StopMixMonitor": "End the recording" "StopMixMonitor()" "on" "on";
    "StopMusicOnHold": "No more music" "StopMusicOnHold()" "on" "on";
    "StopPlayTones": "No more tones" "StopPlayTones()" "on" "on";
    "StoreDTMF": "Keep the digits" "StoreDTMF(RX)" "on" "on";
    "StreamEcho": "Until the caller hangs up" "StreamEcho(2)" "not reached" "";
    "System": "Refused unless it is allowed: the call ends" "System(logger call from ${CALLERID(num)})" "not reached" "";
    "TestClient": "The call ends here" "TestClient(1234)" "not reached" "";
    "TestServer": "The call ends here" "TestServer()" "not reached" "";
    "Transfer": "A channel that cannot be transferred" "Transfer(bob@192.0.2.1)" "${TRANSFERSTATUS}" "UNSUPPORTED";
    "TryExec": "One that does not exist" "TryExec(NoSuchApplication())" "${TRYSTATUS}" "NOAPP";
    "UnpauseQueueMember": "After the break" "UnpauseQueueMember(support,PJSIP/alice)" "${UPQMSTATUS}" "UNPAUSED";
    "UserEvent": "An event for other programs" "UserEvent(Screenpop,Number: ${CALLERID(num)})" "on" "on";
    "Verbose": "A line on the console" "Verbose(2,caller is ${CALLERID(num)})" "on" "on";
    "VMAuthenticate": "Ask for a mailbox" "VMAuthenticate(812@default)" "on" "on";
    "VMSayName": "Say a name" "VMSayName(812@default)" "on" "on";
    "VoiceMailMain": "Hear messages" "VoiceMailMain(812@default,s)" "on" "on";
    "VoiceMailPlayMsg": "One message" "VoiceMailPlayMsg(812@default,msg-1)" "${VOICEMAIL_PLAYBACKSTATUS}" "SUCCESS";
    "Wait": "A second and a half" "Wait(1.5)" "on" "on";
    "WaitDigit": "Nobody presses anything" "WaitDigit(5,123)" "${WAITDIGITSTATUS}" "TIMEOUT";
    "WaitExten": "Nobody presses anything" "WaitExten(5)" "on" "on";
    "WaitForCondition": "True at once" "WaitForCondition(#,#[2 > 1],5)" "${WAITFORCONDITIONSTATUS}" "TRUE";
    "WaitForNoise": "Somebody speaks" "WaitForNoise(500,1,10)" "${WAITSTATUS}" "NOISE";
    "WaitForRing": "The line rings" "WaitForRing(5)" "on" "on";
    "WaitForSignal": "Nobody signals" "WaitForSignal(ready,1)" "${WAITFORSIGNALSTATUS}" "TIMEOUT";
    "WaitForSilence": "An answering machine is done" "WaitForSilence(1000,1,10)" "${WAITSTATUS}" "SILENCE";
    "WaitUntil": "A time that is over" "WaitUntil(1000000000)" "${WAITUNTILSTATUS}" "PAST";
    "While": "Down to zero" "Set(n=3)\nWhile($[${n} > 0])\nSet(n=$[${n} - 1])\nEndWhile()" "${n}" "0";
}
