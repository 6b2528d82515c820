/**
 * The receiver of an HTTP uplink that stores each batch in a file, and answers when that is on the disk. A batch that comes again by its key is
 * written again: the reader of the file counts it. Arguments: the file, and the port.
 */
import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";

const [file = "", port = "0"] = process.argv.slice(2);
const descriptor = openSync(file, "a");
// A kill may have cut the last line.
writeSync(descriptor, "\n");
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(port),
  async fetch(request) {
    const body = await request.bytes();
    const lines = request.headers.get("content-encoding") === "gzip" ? Bun.gunzipSync(body) : body;
    try {
      // A full disk may have cut the last line.
      if (writeSync(descriptor, "\n") + writeSync(descriptor, lines) <= lines.length) throw new Error("cut");
      fdatasyncSync(descriptor);
    } catch {
      return new Response(null, { status: 507 });
    }
    return new Response(null, { status: 204 });
  },
});
console.log(server.port);
process.on("SIGTERM", () => {
  closeSync(descriptor);
  process.exit(0);
});
