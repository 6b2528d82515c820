import type { Socket } from "node:net";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

export interface ReceivedMail {
  readonly sender: string;
  readonly recipients: readonly string[];
  readonly raw: string;
  readonly parsed: Email;
  readonly encrypted: boolean;
}

/** A real SMTP server on loopback; `options` make it refuse, stall or drop. */
export interface MailServer {
  readonly url: string;
  readonly port: number;
  readonly received: readonly ReceivedMail[];
  /** Resolves with the next mail that is not taken out yet. */
  next(): Promise<ReceivedMail>;
  /** Breaks every connection. */
  drop(): void;
  stop(): Promise<void>;
}

/** An answer of the server: its code decides whether the sender tries again. */
export const reply = (responseCode: number, message: string): Error =>
  Object.assign(new Error(message), { responseCode });

export async function startMailServer(options: SMTPServerOptions = {}, port = 0): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const waiting: Array<(mail: ReceivedMail) => void> = [];
  const unread: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    logger: false,
    async onData(stream, session, done) {
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of stream) chunks.push(chunk as Buffer);
      } catch {
        return; // the sender was cut off in the middle: nothing was received
      }
      const raw = Buffer.concat(chunks).toString("utf8");
      const mail: ReceivedMail = {
        sender: session.envelope.mailFrom === false ? "" : session.envelope.mailFrom.address,
        recipients: session.envelope.rcptTo.map(({ address }) => address),
        raw,
        parsed: await PostalMime.parse(raw),
        encrypted: session.secure,
      };
      received.push(mail);
      done();
      const waiter = waiting.shift();
      if (waiter === undefined) unread.push(mail);
      else waiter(mail);
    },
    ...options,
  });
  server.on("error", () => undefined); // clients that break off are part of the tests
  const sockets = new Set<Socket>();
  server.server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const address = server.server.address();
  if (address === null || typeof address === "string") throw new Error("the mail server has no port");
  return {
    port: address.port,
    url: `${options.secure === true ? "smtps" : "smtp"}://127.0.0.1:${address.port}`,
    received,
    next: () =>
      new Promise((resolve) => {
        const mail = unread.shift();
        if (mail === undefined) waiting.push(resolve);
        else resolve(mail);
      }),
    drop() {
      for (const socket of sockets) socket.destroy();
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
