/**
 * The load generator's ceiling: answers CONNECT, then a PUBACK for every so many bytes without looking at them.
 * Prints its port. Argument: bytes of one publish packet.
 */

const packetBytes = Number(process.argv[2]);
const connack = new Uint8Array([0x20, 2, 0, 0]);
const acks = Buffer.alloc(4 * 4096);
for (let index = 0; index < acks.length; index += 4) acks.set([0x40, 2, 0, 1], index);

interface Sink {
  connected: boolean;
  rest: number;
}

const server = Bun.listen<Sink>({
  hostname: "127.0.0.1",
  port: 0,
  socket: {
    open(socket) {
      socket.data = { connected: false, rest: 0 };
    },
    data(socket, data) {
      if (!socket.data.connected) {
        socket.data.connected = true;
        socket.write(connack);
        return;
      }
      const bytes = socket.data.rest + data.length;
      socket.data.rest = bytes % packetBytes;
      socket.write(acks.subarray(0, 4 * Math.min(Math.floor(bytes / packetBytes), 4096)));
    },
  },
});
console.log(server.port);
