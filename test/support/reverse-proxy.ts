import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { until } from "./until.ts";

const PAGE = join(import.meta.dir, "../../docs/proxy.md");

/** Returns the configuration that docs/proxy.md has for a proxy. */
export function documented(language: string): string {
  const block = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "ms").exec(readFileSync(PAGE, "utf8"))?.[1];
  if (block === undefined) throw new Error(`docs/proxy.md has no configuration in ${language}`);
  return block;
}

export function replaced(text: string, changes: Readonly<Record<string, string>>): string {
  return Object.entries(changes).reduce((result, [from, to]) => {
    if (!result.includes(from)) throw new Error(`the documented configuration does not have ${from}`);
    return result.replaceAll(from, to);
  }, text);
}

export interface ReverseProxy {
  /** Port of HTTPS with the documented configuration, which passes the base path on. */
  readonly port: number;
  /** The same for a configuration that removes the base path. */
  readonly strippingPort: number;
  /** Certificate of `localhost` and 127.0.0.1, PEM. */
  readonly certificate: string;
  readonly certificateFile: string;
  start(gatewayPort: number): Promise<void>;
  stop(): Promise<void>;
}

type Configure = (values: { gateway: string; home: string; ports: readonly [number, number] }) => string;

/** Runs as the user who runs the test, in one process, and touches its own folder only. */
const nginxConfig: Configure = ({ gateway, home, ports: [port, strippingPort] }) => {
  const changes = {
    "listen 443 ssl": `listen 127.0.0.1:${port} ssl`,
    "server_name plant.example": "server_name localhost",
    "/etc/ssl/plant.example.pem": `${home}/server.pem`,
    "/etc/ssl/plant.example.key": `${home}/server.key`,
    "127.0.0.1:8080": gateway,
  };
  const passing = replaced(documented("nginx"), changes);
  const stripping = replaced(passing.slice(passing.indexOf("server {")), {
    [`proxy_pass http://${gateway};`]: `proxy_pass http://${gateway}/;`,
    [`127.0.0.1:${port} ssl`]: `127.0.0.1:${strippingPort} ssl`,
  });
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${home}/${name};`,
  );
  return `daemon off; master_process off; pid ${home}/nginx.pid; error_log ${home}/error.log warn;
events {}
http { access_log off; ${temporary.join(" ")}
${passing}
${stripping}
}`;
};

const caddyConfig: Configure = ({ gateway, home, ports: [port, strippingPort] }) => {
  const tls = `\n    tls ${home}/server.pem ${home}/server.key\n`;
  const passing = replaced(documented("caddy"), {
    "plant.example {": `https://127.0.0.1:${port}, https://localhost:${port} {${tls}`,
    "127.0.0.1:8080": gateway,
  });
  const stripping = replaced(passing, {
    [`:${port}`]: `:${strippingPort}`,
    "handle /lineside/*": "handle_path /lineside/*",
  });
  return `{\nadmin off\nauto_https off\ndefault_bind 127.0.0.1\nstorage file_system ${home}/storage\n}\n${passing}\n${stripping}`;
};

const proxies = {
  nginx: {
    configure: nginxConfig,
    args: (file: string) => ["-p", join(file, ".."), "-e", "stderr", "-c", file],
  },
  caddy: {
    configure: caddyConfig,
    args: (file: string) => ["run", "--adapter", "caddyfile", "--config", file],
  },
} as const;

function createCertificate(home: string): void {
  const { exitCode, stderr } = Bun.spawnSync([
    ...["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"],
    ...["-subj", "/CN=localhost", "-keyout", join(home, "server.key"), "-out", join(home, "server.pem")],
    ...["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-days", "30"],
  ]);
  if (exitCode !== 0) throw new Error(`openssl failed: ${stderr}`);
}

/** Finds a program also where a user's PATH has no administration commands. */
export const findProxy = (name: keyof typeof proxies): string | null =>
  Bun.which(name, { PATH: `${process.env.PATH ?? ""}:/usr/sbin` });

/** A real reverse proxy with TLS on free ports of loopback, configured as docs/proxy.md says. */
export async function createReverseProxy(name: keyof typeof proxies): Promise<ReverseProxy> {
  const home = mkdtempSync(join(tmpdir(), `lineside-${name}-`));
  const program = findProxy(name) ?? name;
  const ports = [await freePort(), await freePort()] as const;
  createCertificate(home);
  mkdirSync(join(home, "storage"));
  const certificate = readFileSync(join(home, "server.pem"), "utf8");
  let child: Bun.Subprocess | undefined;
  return {
    port: ports[0],
    strippingPort: ports[1],
    certificate,
    certificateFile: join(home, "server.pem"),
    async start(gatewayPort) {
      const { configure, args } = proxies[name];
      const file = join(home, "proxy.conf");
      writeFileSync(file, configure({ gateway: `127.0.0.1:${gatewayPort}`, home, ports }));
      const log = join(home, "output.log");
      child = Bun.spawn([program, ...args(file)], {
        env: { PATH: process.env.PATH ?? "", HOME: home },
        stdout: Bun.file(log),
        stderr: Bun.file(`${log}.err`),
      });
      await until(async () => {
        if (child?.exitCode !== null) throw new Error(`${name} ended: ${readFileSync(`${log}.err`, "utf8")}`);
        const urls = ports.map((port) => `https://127.0.0.1:${port}/`);
        const responses = urls.map((url) => fetch(url, { tls: { ca: certificate } }).catch(() => undefined));
        return (await Promise.all(responses)).every((response) => response !== undefined);
      });
    },
    async stop() {
      child?.kill("SIGTERM");
      await child?.exited;
      rmSync(home, { recursive: true, force: true });
    },
  };
}
