import { createHmac } from "node:crypto";

export interface Received {
  readonly path: string;
  /** Of the address, with its question mark; empty without one. */
  readonly search?: string;
  readonly method: string;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  readonly body: any;
}

/** What other people's servers do with webhooks: a real one on loopback that keeps what it gets, and answers as it is told. */
export interface WebhookReceiver {
  readonly url: string;
  readonly port: number;
  readonly received: Received[];
  /** Resolves once so many have come in all. */
  until(count: number): Promise<void>;
  answer: (received: Received) => Response | Promise<Response>;
  stop(): Promise<void>;
}

export function createWebhookReceiver(port = 0): WebhookReceiver {
  const received: Received[] = [];
  const waiting = new Set<{ count: number; resolve: () => void }>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port,
    idleTimeout: 0,
    async fetch(request) {
      const text = await request.text();
      const item = {
        path: new URL(request.url).pathname,
        search: new URL(request.url).search,
        method: request.method,
        headers: request.headers,
        text,
        body: text.startsWith("{") ? JSON.parse(text) : undefined,
      };
      received.push(item);
      const response = await receiver.answer(item);
      for (const waiter of waiting)
        if (received.length >= waiter.count) {
          waiting.delete(waiter);
          waiter.resolve();
        }
      return response;
    },
  });
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${server.port}`,
    port: server.port ?? 0,
    received,
    until: (count) =>
      received.length >= count
        ? Promise.resolve()
        : new Promise((resolve) => void waiting.add({ count, resolve })),
    answer: () => new Response("taken"),
    stop: () => server.stop(true),
  };
  return receiver;
}

/** As a receiver would check it, from the description alone. */
export function isSigned({ headers, text }: Received, secret: string): boolean {
  const parts = new Map(
    (headers.get("x-lineside-signature") ?? "").split(",").map((part) => part.split("=") as [string, string]),
  );
  const expected = createHmac("sha256", secret)
    .update(`${parts.get("t")}.${text}`)
    .digest("hex");
  return parts.get("v1") === expected;
}
