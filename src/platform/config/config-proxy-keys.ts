const text = { type: "text" } as const;

/** Keys for access by users and devices: the public address, and reverse proxies. */
export const proxyConfigKeys = {
  public_url: {
    kind: text,
    default: undefined,
    description:
      "Address at which users and devices reach this gateway, e.g. `http://gateway.local:8080`. Links and example commands use it. A path is the base path behind a reverse proxy: with `https://plant.example/lineside`, the console and the API are below `/lineside`.",
  },
  trusted_proxies: {
    kind: text,
    default: undefined,
    description:
      "Comma-separated addresses and networks of reverse proxies, e.g. `127.0.0.1, 10.0.5.0/24`. The gateway uses `X-Forwarded-For`, `X-Forwarded-Proto` and `X-Forwarded-Host` of their requests and ignores these headers of all others. `http_connections_per_address_max` does not apply to them.",
  },
} as const;
