import { connects, packet, packetRows, publish4, str } from "./packet-rows.ts";

const { acceptsFirst, refusesFirst } = packetRows();

const token = str("seq");
const connect4 = (flags: string, payload: string) => packet("10", `${str("MQTT")}04${flags}003c${payload}`);
const connect5 = (properties: string, payload: string) =>
  packet("10", `${str("MQTT")}0582003c${properties}${payload}`);
acceptsFirst(3, "3.1 is accepted", connects[3], "20020000");
acceptsFirst(4, "3.1.1 is accepted", connects[4], "20020000");
acceptsFirst(4, "an empty client id is fine", connect4("82", `0000${token}`), "20020000");
acceptsFirst(
  4,
  "QoS 2 will is accepted",
  connect4("96", `0001${"61"}${str("t")}${str("p")}${token}`),
  "20020000",
);
refusesFirst(4, "a publish before CONNECT closes", publish4("30", ""));
refusesFirst(4, "a ping before CONNECT closes", "c000");
refusesFirst(4, "a server's packet closes", "20020000");
refusesFirst(4, "an unknown protocol name closes", packet("10", `${str("HTTP")}0402003c${str("x")}`));
refusesFirst(4, "an old level is told so", packet("10", `${str("MQTT")}0202003c${str("x")}`), "20020001");
acceptsFirst(
  4,
  "3.1.1 with the mark of a bridge is accepted",
  packet("10", `${str("MQTT")}8482003c${str("x")}${token}`),
  "20020000",
);
acceptsFirst(
  3,
  "3.1 with the mark of a bridge is accepted",
  packet("10", `${str("MQIsdp")}8382003c${str("x")}${token}`),
  "20020000",
);
refusesFirst(
  4,
  "an unknown level with the mark of a bridge is answered in the old form",
  packet("10", `${str("MQTT")}8602003c${str("x")}`),
  "20020001",
);
refusesFirst(5, "a later level is told so", packet("10", `${str("MQTT")}0602003c${str("x")}`), "2003008400");
const connect3 = (header: string, flags: string, id: string) =>
  packet(header, `${str("MQIsdp")}03${flags}003c${str(id)}${token}`);
acceptsFirst(3, "flags that 3.1 does not use are ignored", connect3("1f", "83", "x"), "20020000");
refusesFirst(3, "an empty client id is refused", connect3("10", "82", ""), "20020002");
refusesFirst(4, "reserved flags of CONNECT close", packet("11", `${str("MQTT")}0482003c${str("x")}${token}`));
refusesFirst(4, "the reserved connect flag closes", connect4("83", `${str("x")}${token}`));
refusesFirst(4, "will QoS without a will closes", connect4("8a", `${str("x")}${token}`));
refusesFirst(4, "will retain without a will closes", connect4("a2", `${str("x")}${token}`));
refusesFirst(4, "will QoS 3 closes", connect4("9e", `${str("x")}${str("t")}${str("p")}${token}`));
refusesFirst(
  4,
  "a will topic with a wildcard closes",
  connect4("86", `${str("x")}${str("a/#")}${str("p")}${token}`),
);
refusesFirst(4, "a password without a user name closes", connect4("42", `${str("x")}${str("p")}`));
refusesFirst(4, "a CONNECT that ends early closes", connect4("82", str("x")));
refusesFirst(4, "a CONNECT with bytes left over closes", connect4("82", `${str("x")}${token}00`));
refusesFirst(4, "a user name that is not UTF-8 closes", connect4("82", `${str("x")}0002c328`));
refusesFirst(4, "an overlong encoding closes", connect4("82", `${str("x")}0002c080`));
refusesFirst(4, "a surrogate in a client id closes", connect4("82", `0003eda080${token}`));
refusesFirst(4, "U+0000 in a client id closes", connect4("82", `000100${token}`));
refusesFirst(4, "a control character in a client id closes", connect4("82", `00017f${token}`));
refusesFirst(
  4,
  "an empty client id with a lasting session is refused",
  connect4("80", `0000${token}`),
  "20020002",
);
refusesFirst(4, "a CONNECT larger than any device needs closes", "10ffff7f");

refusesFirst(4, "no user name is refused", connect4("02", str("x")), "20020004");
refusesFirst(4, "a wrong token is refused", connect4("82", `${str("x")}${str("wrong")}`), "20020004");
refusesFirst(5, "a wrong token is refused", connect5("00", `${str("x")}${str("wrong")}`), "2003008600");
refusesFirst(
  4,
  "a device that may not is refused",
  connect4("82", `${str("x")}${str("banned")}`),
  "20020005",
);
refusesFirst(
  5,
  "a device that may not is refused",
  connect5("00", `${str("x")}${str("banned")}`),
  "2003008700",
);
refusesFirst(4, "a directory that is away refuses", connect4("82", `${str("x")}${str("later")}`), "20020003");
refusesFirst(
  5,
  "a directory that is away refuses",
  connect5("00", `${str("x")}${str("later")}`),
  "2003008800",
);
refusesFirst(
  5,
  "enhanced authentication is refused",
  connect5(`0615${str("abc")}`, `${str("x")}${token}`),
  "2003008c00",
);
refusesFirst(
  5,
  "authentication data without a method closes",
  connect5("0416000161", `${str("x")}${token}`),
  "2003008200",
);
const willWith = (properties: string) =>
  packet("10", `${str("MQTT")}0586003c00${str("x")}${properties}${str("t")}${str("p")}${token}`);
refusesFirst(5, "a will with an empty response topic closes", willWith("03080000"), "2003008200");
refusesFirst(5, "a will with a wildcard as its response topic closes", willWith("0408000123"), "2003008100");
refusesFirst(5, "receive maximum 0 closes", connect5("03210000", `${str("x")}${token}`), "2003008200");
refusesFirst(
  5,
  "a property given twice closes",
  connect5("06210001210001", `${str("x")}${token}`),
  "2003008200",
);
refusesFirst(
  5,
  "a property of another packet closes",
  connect5("03230001", `${str("x")}${token}`),
  "2003008100",
);
refusesFirst(
  5,
  "a CONNACK beyond what the client takes is not sent",
  connect5("052700000004", `${str("x")}${token}`),
);
