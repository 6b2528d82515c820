import { connects, packet, packetRows, publish4, publish5, str } from "./packet-rows.ts";

const { responses, closes } = packetRows();

closes(4, "CONNECT twice closes", connects[4]);
closes(5, "CONNECT twice closes", connects[5], "e00182");
closes(4, "packet type 0 closes", "0000");
closes(5, "packet type 0 closes", "0000", "e00181");
closes(5, "a packet that only a server sends closes", "d000", "e00182");
closes(4, "AUTH closes", "f000");
closes(5, "AUTH closes", "f000", "e00182");
closes(4, "reserved flags of PINGREQ close", "c100");
closes(5, "reserved flags of SUBSCRIBE close", packet("80", `000100${str("v2/a")}00`), "e00181");
closes(4, "reserved flags of PUBREL close", "60020001");
closes(4, "QoS 3 closes", publish4("36", "0001"));
closes(5, "QoS 3 closes", publish5("36", "0001"), "e00181");
closes(4, "DUP with QoS 0 closes", publish4("38", ""));
closes(4, "a remaining length of five bytes closes", "30ffffffff01");
closes(5, "an overlong remaining length closes", "c08000", "e00181");
closes(4, "a packet over the limit closes", "30ffffff7f");
closes(5, "a packet over the limit closes", "30ffffff7f", "e00195");
closes(4, "a ping with a body closes", "c00100");
responses(4, "ping is answered", "c000", "d000");
responses(5, "ping is answered", "c000", "d000");
responses(4, "two pings in one chunk are answered", "c000c000", "d000d000");

closes(4, "DISCONNECT closes", "e000");
closes(5, "DISCONNECT closes", "e000");
closes(4, "nothing after DISCONNECT is read", "e000c000");
closes(4, "DISCONNECT with a body closes", "e00100");
closes(5, "a session expiry raised from zero is an error", "e00700051100000001", "e00182");
