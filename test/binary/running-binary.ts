/** The settings that create the first owner. */
export const OWNER = {
  LINESIDE_OWNER_EMAIL: "owner@plant.example",
  LINESIDE_OWNER_PASSWORD: "a long enough password 7",
};

export interface Running {
  readonly url: string;
  readonly mqttPort: number;
  readonly pid: number;
  readonly output: () => string;
  /** Asks it to end; resolves to its exit code. */
  stop(): Promise<number>;
}

/** Starts the program on free ports of this machine and waits until it is ready. */
export async function start(
  command: readonly string[],
  directory: string,
  env: Record<string, string>,
): Promise<Running> {
  const child = Bun.spawn(
    [
      ...command,
      "--http-port",
      "0",
      "--mqtt-port",
      "0",
      "--http-host",
      "127.0.0.1",
      "--mqtt-host",
      "127.0.0.1",
      "--tls",
      "auto",
      "--https-port",
      "0",
      "--mqtt-tls-port",
      "0",
    ],
    {
      cwd: directory,
      env: { PATH: process.env.PATH ?? "", ...env },
      stdout: "pipe",
      stderr: "pipe",
    },
  );
  let output = "";
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    for await (const chunk of stream) output += new TextDecoder().decode(chunk);
  };
  void collect(child.stdout);
  void collect(child.stderr);
  const deadline = Date.now() + 60_000;
  for (;;) {
    const ready = /ready .*url=(\S+) mqttPort=(\d+)/.exec(output);
    if (ready)
      return {
        url: ready[1] ?? "",
        mqttPort: Number(ready[2]),
        pid: child.pid,
        output: () => output,
        async stop() {
          child.kill("SIGTERM");
          return await child.exited;
        },
      };
    if (child.exitCode !== null || Date.now() > deadline)
      throw new Error(
        `it did not become ready (${child.exitCode ?? child.signalCode ?? "running"}):\n${output}`,
      );
    await Bun.sleep(20);
  }
}

export async function send(
  url: string,
  path: string,
  options: { method?: string; token?: string; body?: unknown } = {},
) {
  const response = await fetch(url + path, {
    method: options.method ?? (options.body === undefined ? "GET" : "POST"),
    headers: {
      "content-type": "application/json",
      ...(options.token && { authorization: `Bearer ${options.token}` }),
    },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  return { status: response.status, body: (await response.json().catch(() => undefined)) as any };
}

/** Signs the owner in; resolves to an access token. */
export async function signIn(url: string): Promise<string> {
  const { body } = await send(url, "/idp/authorize", {
    body: { email: OWNER.LINESIDE_OWNER_EMAIL, password: OWNER.LINESIDE_OWNER_PASSWORD },
  });
  return (await send(url, "/api/auth/exchange", { body: { code: body.code } })).body.accessToken;
}
