import { conflict, invalid } from "../../lib/core/domain-error.ts";
import { parseRange } from "../../lib/network/ip-range.ts";
import type { Config } from "../../platform/config/config.ts";
import { checkPublicUrl } from "../../platform/network/public-address.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { SettingsService } from "../settings/settings.service.ts";

const SETTINGS = "proxy";

/** Settings for reverse proxies; null if unset. */
export interface StoredProxySettings {
  readonly publicUrl: string | null;
  /** Comma-separated addresses and networks. */
  readonly trustedProxies: string | null;
}

export interface ProxySettingsInput {
  readonly publicUrl?: string | null;
  readonly trustedProxies?: string | null;
}

type ProxyConfig = Pick<Config, "public_url" | "trusted_proxies">;
export type ProxyConfigKey = keyof ProxyConfig;

const entriesOf = (list: string) =>
  list
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");

/** @throws DomainError `invalid` that names the setting */
function ensureValid({ publicUrl, trustedProxies }: StoredProxySettings): void {
  if (publicUrl !== null && checkPublicUrl(publicUrl).length > 0) throw invalid("proxy.public_url_invalid");
  const wrong = entriesOf(trustedProxies ?? "").find((entry) => parseRange(entry) === undefined);
  if (wrong !== undefined) throw invalid("proxy.address_invalid", { entry: wrong });
}

const readStored = (settings: Pick<SettingsService, "read">): StoredProxySettings =>
  settings.read<StoredProxySettings>(SETTINGS) ?? { publicUrl: null, trustedProxies: null };

const inForce = (
  configured: ProxyConfig,
  { publicUrl, trustedProxies }: StoredProxySettings,
): ProxyConfig => ({
  public_url: configured.public_url ?? publicUrl ?? undefined,
  trusted_proxies: configured.trusted_proxies ?? trustedProxies ?? undefined,
});

/** Returns the configuration, completed by the stored settings. */
export const withProxySettings = (configured: Config, settings: Pick<SettingsService, "read">): Config => ({
  ...configured,
  ...inForce(configured, readStored(settings)),
});

/** Settings for reverse proxies. They take effect at startup; the configuration takes precedence. */
export class ProxySettings {
  readonly #settings: SettingsService;
  readonly #configured: ProxyConfig;
  readonly #running: ProxyConfig;
  readonly #clock: Pick<Clock, "now">;

  constructor(deps: {
    settings: SettingsService;
    /** Settings from flags, environment and file. */
    configured: ProxyConfig;
    /** Settings at startup. */
    running: ProxyConfig;
    clock: Pick<Clock, "now">;
  }) {
    this.#settings = deps.settings;
    this.#configured = deps.configured;
    this.#running = deps.running;
    this.#clock = deps.clock;
  }

  shown() {
    const next = this.inForce({});
    const fixed = (["public_url", "trusted_proxies"] as const).filter(
      (key) => this.#configured[key] !== undefined,
    );
    return {
      publicUrl: next.public_url ?? null,
      trustedProxies: next.trusted_proxies ?? null,
      fixed,
      needsRestart: fixed.length < 2 && !this.#isRunning(next),
    };
  }

  /** @throws DomainError `conflict` for configured settings, `invalid` for values that the configuration would also refuse */
  save(input: ProxySettingsInput): void {
    this.#settings.save(SETTINGS, this.#withInput(input), this.#clock.now());
  }

  /** Returns the effective settings of the next start with these changes. @throws DomainError like `save` */
  inForce(input: ProxySettingsInput): ProxyConfig {
    return inForce(this.#configured, this.#withInput(input));
  }

  #isRunning(next: ProxyConfig): boolean {
    const { public_url: url, trusted_proxies: proxies } = this.#running;
    return url === next.public_url && proxies === next.trusted_proxies;
  }

  #withInput(input: ProxySettingsInput): StoredProxySettings {
    const stored = readStored(this.#settings);
    this.#ensureFree("public_url", input.publicUrl);
    this.#ensureFree("trusted_proxies", input.trustedProxies);
    const changed = {
      publicUrl: input.publicUrl === undefined ? stored.publicUrl : input.publicUrl,
      trustedProxies: input.trustedProxies === undefined ? stored.trustedProxies : input.trustedProxies,
    };
    ensureValid(changed);
    return changed;
  }

  #ensureFree(key: ProxyConfigKey, value: string | null | undefined): void {
    if (value !== undefined && this.#configured[key] !== undefined) throw conflict("proxy.fixed", { key });
  }
}
