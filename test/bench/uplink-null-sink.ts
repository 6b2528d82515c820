/** A receiver of an HTTP uplink that reads what it gets and stores nothing. Prints its port. */
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    await request.bytes();
    return new Response(null, { status: 204 });
  },
});
console.log(server.port);

export {};
