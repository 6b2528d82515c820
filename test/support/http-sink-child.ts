// A server that reads what it gets and says so: `bun http-sink-child.ts PORT`. Prints its port.
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.argv[2] ?? 0),
  async fetch(request) {
    await request.arrayBuffer();
    return new Response(null, { status: 204 });
  },
});
console.log(server.port);

export {};
