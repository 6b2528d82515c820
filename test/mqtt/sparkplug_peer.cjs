/** An edge node with a device, built on sparkplug-client: births, many values, then what it is told. Prints one JSON object a line. */
const [port, username, password, edgeNode, library] = process.argv.slice(2);
const { newClient } = require(library);

const client = newClient({
  serverUrl: `mqtt://127.0.0.1:${port}`,
  username,
  password,
  groupId: "plant",
  edgeNode,
  clientId: "npm-client",
});
const metric = (name, type, value) => ({ name, type, value, timestamp: Date.now() });
const data = (...metrics) => ({ timestamp: Date.now(), metrics });

client.on("birth", () => {
  client.publishNodeBirth(
    data(
      metric("Node Control/Rebirth", "Boolean", false),
      metric("t", "Float", 21.5),
      metric("count", "UInt64", 5),
      metric("text", "String", "warm"),
    ),
  );
  client.publishDeviceBirth("pump", data(metric("speed", "Int32", -1), metric("on", "Boolean", true)));
  for (let n = 0; n < 300; n++) client.publishNodeData(data(metric("t", "Float", n / 2)));
  client.publishDeviceData("pump", data(metric("speed", "Int32", 7)));
});

function tell(place, { metrics }) {
  for (const { name, type, value } of metrics)
    console.log(JSON.stringify({ topic: `spBv1.0/plant/${place}`, name, type: type.toLowerCase(), value }));
}
client.on("ncmd", (payload) => tell("NCMD", payload));
client.on("dcmd", (device, payload) => tell(`DCMD/${edgeNode}/${device}`, payload));
