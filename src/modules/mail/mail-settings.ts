import { conflict, invalid } from "../../lib/core/domain-error.ts";
import type { Config } from "../../platform/config/config.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { SettingsService } from "../settings/settings.service.ts";
import type { MailTransport } from "./mail.types.ts";
import { createSmtpTransport, defaultSender, parseSmtpUrl } from "./smtp-transport.ts";

export const MAIL_SETTINGS = "mail";
const ATTEMPT_TIMEOUT_MS = 120_000;
const TEST_TIMEOUT_MS = 15_000;

export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** TLS: from the start of the connection. STARTTLS: required. OPTIONAL: STARTTLS if the server offers it. */
  readonly security: "TLS" | "STARTTLS" | "OPTIONAL";
  readonly acceptsAnyCertificate: boolean;
  /** Empty for a server without authentication. */
  readonly user: string;
  readonly password: string;
}

export interface StoredMailSettings {
  readonly server: MailServer | null;
  /** Sender address; null for the default. */
  readonly from: string | null;
}

/** Changes of settings. Absent fields stay unchanged, and so does the password on the same host. */
export interface MailSettingsInput {
  readonly server?: (Omit<MailServer, "password"> & { readonly password?: string }) | null;
  readonly from?: string | null;
}

export interface ShownMailSettings {
  readonly server: (Omit<MailServer, "password"> & { readonly hasPassword: boolean }) | null;
  readonly from: string | null;
  /** Sender address of mails; null without a server. */
  readonly sender: string | null;
  /** Configured keys, which cannot be changed here. */
  readonly fixed: readonly ("smtp_url" | "smtp_from")[];
}

/** Returns the settings in the form of `smtp_url`. */
function urlOf({ host, port, security, acceptsAnyCertificate, user, password }: MailServer): string {
  const scheme = security === "TLS" ? "smtps" : "smtp";
  const signIn = user === "" ? "" : `${encodeURIComponent(user)}:${encodeURIComponent(password)}@`;
  const bracketed = host.includes(":") ? `[${host}]` : host;
  const query = new URLSearchParams();
  if (security !== "TLS") query.set("requireTLS", String(security === "STARTTLS"));
  if (acceptsAnyCertificate) query.set("tls.rejectUnauthorized", "false");
  return `${scheme}://${signIn}${bracketed}:${port}?${query}`;
}

function serverOf(url: string): MailServer {
  const { host, port, secure, requireTLS, tls, auth } = parseSmtpUrl(url);
  return {
    host,
    port,
    security: secure ? "TLS" : requireTLS ? "STARTTLS" : "OPTIONAL",
    acceptsAnyCertificate: !tls.rejectUnauthorized,
    user: auth?.user ?? "",
    password: auth?.pass ?? "",
  };
}

/** Mail server of the gateway. The configuration takes precedence over the console's settings. */
export class MailSettings {
  readonly #settings: SettingsService;
  readonly #config: Pick<Config, "smtp_url" | "smtp_from">;
  readonly #clock: Clock;
  #stored: StoredMailSettings;
  #transport: MailTransport | undefined;

  constructor(deps: {
    settings: SettingsService;
    config: Pick<Config, "smtp_url" | "smtp_from">;
    clock: Clock;
  }) {
    this.#settings = deps.settings;
    this.#config = deps.config;
    this.#clock = deps.clock;
    this.#stored = this.#settings.read<StoredMailSettings>(MAIL_SETTINGS) ?? { server: null, from: null };
    this.#transport = this.#createTransport(this.#stored, ATTEMPT_TIMEOUT_MS);
  }

  get transport(): MailTransport | undefined {
    return this.#transport;
  }

  shown(): ShownMailSettings {
    const { smtp_url: url, smtp_from: from } = this.#config;
    const server = url === undefined ? this.#stored.server : serverOf(url);
    const { password, ...shown } = server ?? { password: "" };
    return {
      server: server && { ...(shown as Omit<MailServer, "password">), hasPassword: password !== "" },
      from: from ?? this.#stored.from,
      sender: this.#sender(this.#stored) ?? null,
      fixed: (["smtp_url", "smtp_from"] as const).filter((key) => this.#config[key] !== undefined),
    };
  }

  /** @throws DomainError `conflict` for configured settings */
  save(input: MailSettingsInput): void {
    const changed = this.#withInput(input);
    this.#settings.save(MAIL_SETTINGS, changed, this.#clock.now());
    this.#stored = changed;
    this.#transport = this.#createTransport(changed, ATTEMPT_TIMEOUT_MS);
  }

  /** Returns a transport with the settings as changed by `input`. @throws DomainError `conflict` like `save`, and without a server */
  transportFor(input: MailSettingsInput): MailTransport {
    const transport = this.#createTransport(this.#withInput(input), TEST_TIMEOUT_MS);
    if (transport === undefined) throw conflict("mail.no_server");
    return transport;
  }

  #withInput(input: MailSettingsInput): StoredMailSettings {
    const { smtp_url: url, smtp_from: from } = this.#config;
    if (input.server !== undefined && url !== undefined) throw conflict("mail.fixed", { key: "smtp_url" });
    if (input.from !== undefined && from !== undefined) throw conflict("mail.fixed", { key: "smtp_from" });
    return {
      server: input.server === undefined ? this.#stored.server : this.#withPassword(input.server),
      from: input.from === undefined ? this.#stored.from : input.from,
    };
  }

  /** Adds the stored password, but only for the host for which it was entered. */
  #withPassword(server: MailSettingsInput["server"]): MailServer | null {
    if (server === undefined || server === null) return null;
    const { stored, password } = { stored: this.#stored.server, password: server.password };
    if (password !== undefined || server.user === "") return { ...server, password: password ?? "" };
    if (stored !== null && stored.password !== "" && stored.host !== server.host)
      throw invalid("mail.password_required");
    return { ...server, password: stored?.password ?? "" };
  }

  #url({ server }: StoredMailSettings): string | undefined {
    return this.#config.smtp_url ?? (server === null ? undefined : urlOf(server));
  }

  #sender(stored: StoredMailSettings): string | undefined {
    const url = this.#url(stored);
    return url === undefined ? undefined : (this.#config.smtp_from ?? stored.from ?? defaultSender(url));
  }

  #createTransport(stored: StoredMailSettings, timeoutMs: number): MailTransport | undefined {
    const [url, from] = [this.#url(stored), this.#sender(stored)];
    return url === undefined || from === undefined
      ? undefined
      : createSmtpTransport({ url, from, timeoutMs });
  }
}
