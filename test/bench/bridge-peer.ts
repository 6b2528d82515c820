/**
 * A plain subscriber of mqtt.js with a durable session, as other programs have one: acknowledges each message and stores nothing. Prints a
 * line when it is subscribed, and another when it has had so many. Arguments: port count topic, which is its client id, too.
 */
import { connect } from "mqtt";

const [port = "0", count = "0", topic = "load"] = process.argv.slice(2);
// Listened to before it is connected: what its session has kept comes at once.
const client = connect(`mqtt://127.0.0.1:${port}`, { clientId: topic, clean: false, manualConnect: true });
let received = 0;
client.on("message", () => {
  if (++received === Number(count)) console.log("done");
});
client.on("connect", async () => {
  await client.subscribeAsync(`${topic}/#`, { qos: 1 });
  console.log("subscribed");
});
client.connect();
