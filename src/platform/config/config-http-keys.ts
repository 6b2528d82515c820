const text = { type: "text" } as const;
const count = (min: number, max: number) => ({ type: "integer", min, max }) as const;

/** Keys that limit connections to `http_port` and `https_port`. */
export const httpConfigKeys = {
  http_connections_max: {
    kind: count(1, 1_000_000),
    default: 4_096,
    description:
      "Maximum number of simultaneous connections to `http_port` and `https_port`; additional ones are closed. MQTT over WebSocket and devices' own WebSockets count towards their own limits instead. Linux only.",
  },
  http_connections_per_address_max: {
    kind: count(1, 1_000_000),
    default: 256,
    description:
      "Maximum number of these connections from one IPv4 address or one IPv6 /64 network, unless `http_connections_exempt` names it.",
  },
  http_connections_exempt: {
    kind: text,
    default: "127.0.0.0/8, ::1",
    description:
      "Comma-separated addresses and networks that `http_connections_per_address_max` does not apply to. Reverse proxies in `trusted_proxies` need no entry. The default is for programs on the gateway itself. A list replaces the default, and a single comma exempts no address.",
  },
  http_first_request_timeout_ms: {
    kind: count(100, 12_000),
    default: 5_000,
    description:
      "Time in ms within which a new connection must send the headers of its first request, TLS handshake included. It is checked about once a second. Linux only; on other systems about 12 s apply.",
  },
  http_idle_timeout_s: {
    kind: count(1, 240),
    default: 60,
    description:
      "Time in s after which a connection is closed that sends no further request, does not complete the body of its request, or does not read its response. A body longer than 64 KiB gets 1 s more for each KiB, 255 s in all at most.",
  },
} as const;
