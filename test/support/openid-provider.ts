import { join } from "node:path";

export const CLIENT_ID = "lineside-test";
export const CLIENT_SECRET = "a secret between the two, long enough";

export interface OpenIdProvider {
  readonly issuer: string;
  stop(): Promise<void>;
}

export async function startOpenIdProvider(redirectUris: string[], port?: number): Promise<OpenIdProvider> {
  const file = join(import.meta.dir, "openid-provider-child.ts");
  const command = [
    process.execPath,
    file,
    redirectUris.join(),
    ...(port === undefined ? [] : [String(port)]),
  ];
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "ignore" });
  const decoder = new TextDecoder();
  let printed = "";
  for await (const chunk of child.stdout) {
    printed += decoder.decode(chunk, { stream: true });
    if (/ready \S+\n/.test(printed)) break;
  }
  const issuer = /ready (\S+)\n/.exec(printed)?.[1];
  if (issuer === undefined) throw new Error(`the provider did not start: ${printed}`);
  return {
    issuer,
    async stop() {
      child.kill();
      await child.exited;
    },
  };
}

/** Signs in at the provider's own pages, from the address that somebody was sent to; gives the address it sends back to. */
export async function signInThere(start: string, email: string): Promise<string> {
  const origin = new URL(start).origin;
  const cookies = new Map<string, string>();
  let [address, body]: [string, string | undefined] = [start, undefined];
  for (let step = 0; step < 20; step++) {
    const response: Response = await fetch(address, {
      method: body === undefined ? "GET" : "POST",
      redirect: "manual",
      headers: {
        cookie: [...cookies].map((pair) => pair.join("=")).join("; "),
        ...(body !== undefined && { "content-type": "application/x-www-form-urlencoded" }),
      },
      ...(body !== undefined && { body }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [name = "", value = ""] = line.split(";")[0]?.split("=") ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    if (location !== null) {
      address = new URL(location, address).href;
      body = undefined;
      if (new URL(address).origin !== origin) return address;
      continue;
    }
    const page: string = await response.text();
    const action = /<form[^>]*action="([^"]*)"/.exec(page)?.[1];
    if (action === undefined)
      throw new Error(`no form at ${address}: ${response.status} ${page.slice(0, 400)}`);
    address = new URL(action, address).href;
    body = page.includes('name="login"')
      ? `prompt=login&login=${encodeURIComponent(email)}&password=x`
      : "prompt=consent";
  }
  throw new Error("the provider leads in circles");
}
