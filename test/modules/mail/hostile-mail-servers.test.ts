import { expect, test } from "bun:test";
import { createServer, type Socket } from "node:net";
import { MailRefusal, type OutgoingMail } from "../../../src/modules/mail/mail.types.ts";
import { createSmtpTransport, parseSmtpUrl } from "../../../src/modules/mail/smtp-transport.ts";

const CHUNK_BYTES = 64 * 1024;
/** What the buffers of two connections on this machine may hold beyond the limit. */
const TAKEN_BYTES_MAX = 24 * 1024 * 1024;
const TIMEOUT_MS = 2_000;

const mail = { mailId: "m", fromName: "Lineside", to: "a@plant.example", subject: "s", text: "t", html: "h" };
const chunkOf = (line: string) => Buffer.from(line.repeat(Math.ceil(CHUNK_BYTES / line.length)));

/** Lets a server that acts so be sent a mail. Returns why it was not sent, and the bytes of the server that were taken. */
async function attempt(act: (socket: Socket, flood: (line: string) => void) => void) {
  let bytes = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    const flood = (line: string) => {
      const chunk = chunkOf(line);
      const go = () => {
        while (!socket.destroyed && socket.write(chunk)) bytes += chunk.length;
        if (!socket.destroyed) socket.once("drain", go);
      };
      go();
    };
    act(socket, flood);
    socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const transport = createSmtpTransport({
    url: `smtp://127.0.0.1:${port}`,
    from: "gateway@plant.example",
    timeoutMs: TIMEOUT_MS,
  });
  const failure = await transport.send(mail as OutgoingMail).then(
    () => undefined,
    (error: unknown) => error,
  );
  for (const socket of sockets) socket.destroy();
  server.close();
  return { failure, bytes };
}

const TOO_LONG = { reason: { code: "network_error.response_too_long", params: {} } };

for (const [name, line] of Object.entries({
  "a line without an end": "2",
  "a greeting without an end": "220-mail.example\r\n",
  "empty lines": "\r\n",
}))
  test(`a mail server that sends ${name} is left`, async () => {
    const { failure, bytes } = await attempt((_, flood) => flood(line));
    expect(failure).toBeInstanceOf(MailRefusal);
    expect(failure).toMatchObject({ text: { code: "mail_error.connection", params: TOO_LONG } });
    expect(bytes).toBeLessThan(TAKEN_BYTES_MAX);
  });

for (const [name, line] of Object.entries({ "empty lines": "\r\n", "a reply without an end": "250-OK\r\n" }))
  for (const command of ["EHLO", "MAIL", "RCPT", "DATA"])
    test(`a mail server that answers ${command} with ${name} is left`, async () => {
      const { failure, bytes } = await attempt((socket, flood) => {
        socket.write("220 mail.example\r\n");
        socket.on("data", (chunk) => {
          if (chunk.toString().startsWith(command)) flood(line);
          else socket.write("250 OK\r\n");
        });
      });
      expect(failure).toMatchObject({ text: { code: "mail_error.connection", params: TOO_LONG } });
      expect(bytes).toBeLessThan(TAKEN_BYTES_MAX);
    });

for (const [name, greeting] of Object.entries({ greeting: "", reply: "220 mail.example\r\n" }))
  test(`a mail server whose ${name} comes in small parts without an end is given up in time`, async () => {
    const { failure } = await attempt((socket) => {
      socket.write(greeting);
      const timer = setInterval(() => socket.write("250-a\r\n"), 20);
      socket.once("close", () => clearInterval(timer));
    });
    expect(failure).toMatchObject({ text: { code: "mail_error.timed_out" } });
  });

test("a mail server that does not accept the connection's TLS in time is given up", async () => {
  const server = createServer((socket) => void socket.on("error", () => undefined).resume());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const url = `smtps://127.0.0.1:${port}`;
  const transport = createSmtpTransport({ url, from: "gateway@plant.example", timeoutMs: 200 });
  await expect(transport.send(mail as OutgoingMail)).rejects.toMatchObject({
    text: { code: "mail_error.timed_out" },
  });
  server.close();
});

test.each([
  ["smtp://user:secret@mail.example:587", true],
  ["smtp://user:secret@mail.example?requireTLS=false", false],
  ["smtp://mail.example", false],
  ["smtp://mail.example?requireTLS=true", true],
  ["smtp://user:secret@127.0.0.1:2525", false],
  ["smtp://user:secret@[::1]:2525", false],
  ["smtp://user:secret@127.0.0.1.evil.example", true],
])("of %s, encryption is required: %p", (url, isRequired) => {
  expect(parseSmtpUrl(url).requireTLS).toBe(isRequired);
});
