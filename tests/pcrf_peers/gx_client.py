"""A packet gateway made of python-diameter: CCR-I, CCR-U, CCR-T, and RAR answered with RAA.

    gx_client.py PORT IMSI APN

It prints one JSON object a line for each message, and waits for `update`, `push` or `terminate` on its input.
"""

import json
import queue
import sys

from diameter.message import Avp, Message
from diameter.message.commands import CreditControlRequest
from diameter.message.constants import (
    APP_3GPP_GX,
    AVP_TGPP_3GPP_SGSN_MCC_MNC,
    E_RESULT_CODE_DIAMETER_SUCCESS,
    VENDOR_TGPP,
)
from diameter.message.commands.credit_control import SubscriptionId
from diameter.node import Node
from diameter.node.application import SimpleThreadingApplication

REALM = "localdomain"
PEER = "pcrf.localdomain"
USAGE_MONITORING_INFORMATION = 1067
pushed = queue.Queue()
parse = Message.from_bytes.__func__


def from_bytes(cls, data, plain_msg=False):
    """Keeps all AVPs: the library's class of Charging-Rule-Install drops the definitions in it."""
    message = parse(cls, data, plain_msg)
    message.whole = parse(cls, data, True).avps
    return message


Message.from_bytes = classmethod(from_bytes)


def group(avps, name):
    """The values of all AVPs of this name in a list, at any depth."""
    found = []
    for avp in avps:
        if avp.name == name:
            found.append(avp.value)
        elif isinstance(avp.value, list):
            found += group(avp.value, name)
    return found


def texts(values):
    return [value.decode() if isinstance(value, bytes) else value for value in values]


def told(kind, message):
    """What a policy server said, in the terms of Gx."""
    avps = message.whole
    top = {avp.name: avp.value for avp in avps}
    rules = lambda name: [n for v in group(avps, name) for n in texts(group(v, "Charging-Rule-Name"))]
    monitors = [
        {"key": texts(group(v, "Monitoring-Key")), "grant": group(v, "CC-Total-Octets")}
        for v in group(avps, "Usage-Monitoring-Information")
    ]
    print(
        json.dumps(
            {
                "kind": kind,
                "session": top.get("Session-Id"),
                "result": top.get("Result-Code"),
                "experimental": group(avps, "Experimental-Result-Code"),
                "failed": [avp.code for v in group(avps, "Failed-AVP") for avp in v],
                "type": top.get("CC-Request-Type"),
                "number": top.get("CC-Request-Number"),
                "install": sorted(rules("Charging-Rule-Install")),
                "remove": sorted(rules("Charging-Rule-Remove")),
                "monitors": monitors,
                "triggers": group(avps, "Event-Trigger"),
                "qci": group(group_first(avps, "Default-EPS-Bearer-QoS"), "QoS-Class-Identifier"),
            }
        ),
        flush=True,
    )


def group_first(avps, name):
    found = group(avps, name)
    return found[0] if found else []


def requested(application, message):
    """A decision that is pushed: the answer must be filled in, the library leaves the result empty."""
    pushed.put(message)
    answer = application.generate_answer(message, result_code=E_RESULT_CODE_DIAMETER_SUCCESS)
    answer.session_id = message.session_id
    return answer


def request(session, kind, number, imsi, apn):
    ccr = CreditControlRequest()
    ccr.session_id = session
    ccr.origin_host = b"py.localdomain"
    ccr.origin_realm = REALM.encode()
    ccr.destination_realm = REALM.encode()
    ccr.auth_application_id = APP_3GPP_GX
    # Gx has none, and the class sends none then.
    ccr.service_context_id = None
    ccr.cc_request_type = kind
    ccr.cc_request_number = number
    # The MSISDN first: a server must look at both.
    ccr.subscription_id = [
        SubscriptionId(subscription_id_type=0, subscription_id_data="49170000000X"),
        SubscriptionId(subscription_id_type=1, subscription_id_data=imsi),
    ]
    ccr.append_avp(Avp.new(30, value=apn))
    ccr.append_avp(Avp.new(AVP_TGPP_3GPP_SGSN_MCC_MNC, VENDOR_TGPP, value="00101"))
    return ccr


def usage(octets):
    used = Avp.new(446, value=[Avp.new(421, value=octets)])
    key = Avp.new(1066, VENDOR_TGPP, value=b"mk-gold")
    level = Avp.new(1068, VENDOR_TGPP, value=0)
    return Avp.new(USAGE_MONITORING_INFORMATION, VENDOR_TGPP, value=[key, used, level])


def main():
    port, imsi, apn = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    node = Node("py.localdomain", REALM, vendor_ids=[VENDOR_TGPP])
    # Service-Context-Id is mandatory in RFC 8506, which the library checks, and absent in Gx.
    node.validate_received_request_avps = False
    peer = node.add_peer(f"aaa://{PEER}:{port};transport=tcp", REALM, ip_addresses=["127.0.0.1"], is_persistent=True)
    application = SimpleThreadingApplication(APP_3GPP_GX, is_auth_application=True, request_handler=requested)
    node.add_application(application, [peer], realms=[REALM])
    node.start()
    try:
        application.wait_for_ready(timeout=20)
        session = node.session_generator.next_id()
        told("I", application.send_request(request(session, 1, 0, imsi, apn), timeout=20))
        number = 1
        for line in sys.stdin:
            command, *rest = line.split()
            if command == "push":
                told("RAR", pushed.get(timeout=20))
            elif command == "update":
                ccr = request(session, 2, number, imsi, apn)
                ccr.append_avp(Avp.new(1006, VENDOR_TGPP, value=33))
                ccr.append_avp(usage(int(rest[0])))
                told("U", application.send_request(ccr, timeout=20))
                number += 1
            elif command == "terminate":
                ccr = request(session, 3, number, imsi, apn)
                ccr.termination_cause = 1
                told("T", application.send_request(ccr, timeout=20))
                break
    finally:
        node.stop(wait_timeout=5, force=True)


main()
