//! Speech recognition by an engine of the host.

use super::hosted::{After, Hosted, Status, hosted};

hosted! {
    SPEECH_CREATE "SpeechCreate" "Begin with a speech engine." "[engine]"
        "Makes a recognizer for the call. ERROR is 1 when there is no such engine."
        Hosted::new().sets(&[Status::new("ERROR", "", "1")]);
    SPEECH_ACTIVATE_GRAMMAR "SpeechActivateGrammar" "Use a grammar." "grammar"
        "From now on what is said is compared with this grammar."
        Hosted::new().or_leaves();
    SPEECH_DEACTIVATE_GRAMMAR "SpeechDeactivateGrammar" "Stop using a grammar." "grammar"
        "What is said is no longer compared with this grammar."
        Hosted::new().or_leaves();
    SPEECH_LOAD_GRAMMAR "SpeechLoadGrammar" "Load a grammar." "grammar,path"
        "Loads a grammar from a file for this call only."
        Hosted::new().needs(2, After::Leave).or_leaves();
    SPEECH_UNLOAD_GRAMMAR "SpeechUnloadGrammar" "Forget a grammar." "grammar"
        "Forgets a grammar that SpeechLoadGrammar loaded."
        Hosted::new().or_leaves();
    SPEECH_START "SpeechStart" "Begin to listen." ""
        "Tells the engine that the caller speaks from now on."
        Hosted::new().or_leaves();
    SPEECH_BACKGROUND "SpeechBackground" "Play a file and listen to what is said." "file[&file2[&...]][,timeout[,options]]"
        "Answers, plays files and waits until the caller said something, or for some seconds afterwards. The results are \
         read with SPEECH(), SPEECH_TEXT() and SPEECH_SCORE(). Option `n` does not answer, `p` gives partial results."
        Hosted::new().answers_unless(2, b'n').or_leaves();
    SPEECH_PROCESSING_SOUND "SpeechProcessingSound" "Choose the sound while the engine thinks." "file"
        "The caller hears this file while the engine works."
        Hosted::new().or_leaves();
    SPEECH_DESTROY "SpeechDestroy" "End with the speech engine." ""
        "Gives the recognizer of the call back."
        Hosted::new().or_leaves();
}
