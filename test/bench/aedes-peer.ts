/** Bare Aedes on this runtime, in memory, acknowledging before anything is stored: a peer for many small connections. Prints its port. */
import { createServer } from "node:net";
import { Aedes } from "aedes";

const broker = await Aedes.createBroker();
const server = createServer((socket) => {
  socket.setNoDelay(true);
  broker.handle(socket);
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  console.log(typeof address === "object" && address !== null ? address.port : 0);
});
