import { packet, packetRows, str } from "./packet-rows.ts";

const { responses, closes } = packetRows();

const subscribe4 = (...filters: [string, string][]) =>
  packet("82", `000a${filters.map(([filter, options]) => str(filter) + options).join("")}`);
const subscribe5 = (...filters: [string, string][]) =>
  packet("82", `000a00${filters.map(([filter, options]) => str(filter) + options).join("")}`);
const attributes = "v1/devices/me/attributes";

responses(
  4,
  "own topics are granted",
  subscribe4([attributes, "01"], ["v1/devices/me/rpc/request/+", "02"]),
  "9004000a0102",
);
responses(
  5,
  "own topics are granted",
  subscribe5(["v2/a", "00"], ["v1/devices/me/#", "01"]),
  "9005000a000001",
);
responses(
  4,
  "a topic given twice is granted twice",
  subscribe4(["v2/a", "00"], ["v2/a", "01"]),
  "9004000a0001",
);
responses(
  4,
  "other topics are refused",
  subscribe4(["#", "00"], ["v2/a", "01"], ["v1/devices/b/attributes", "01"]),
  "9005000a800180",
);
responses(5, "other topics are refused", subscribe5(["#", "00"], ["$SYS/#", "00"]), "9005000a008787");
responses(
  5,
  "filters above one's own are refused",
  subscribe5(["v1/devices/+/attributes", "00"], ["+/#", "00"]),
  "9005000a008787",
);
responses(4, "a gateway's topics are not a device's", subscribe4(["v1/gateway/rpc", "01"]), "9003000a80");
responses(5, "shared subscriptions are refused", subscribe5(["$share/g/v2/a", "00"]), "9004000a009e");
closes(4, "SUBSCRIBE with identifier 0 closes", packet("82", `0000${str("v2/a")}00`));
closes(4, "SUBSCRIBE to nothing closes", packet("82", "000a"));
closes(4, "SUBSCRIBE with QoS 3 closes", subscribe4(["v2/a", "03"]));
closes(4, "reserved subscription options close", subscribe4(["v2/a", "04"]));
closes(5, "retain handling 3 closes", subscribe5(["v2/a", "30"]), "e00182");
closes(4, "an invalid filter closes", subscribe4(["v2/a#", "00"]));
closes(5, "an invalid filter closes", subscribe5(["v2/#/a", "00"]), "e00181");
closes(4, "an empty filter closes", packet("82", "000a000000"));
closes(4, "a filter of very many levels closes", subscribe4(["v2/a/".repeat(60), "00"]));
closes(4, "a filter that is not UTF-8 closes", packet("82", "000a0002ff6100"));

responses(4, "UNSUBSCRIBE is answered", packet("a2", `000b${str("v2/a")}`), "b002000b");
responses(5, "UNSUBSCRIBE from nothing is told so", packet("a2", `000b00${str("v2/a")}`), "b004000b0011");
closes(4, "UNSUBSCRIBE without a filter closes", packet("a2", "000b"));
closes(4, "UNSUBSCRIBE with identifier 0 closes", packet("a2", `0000${str("v2/a")}`));
