const text = { type: "text" } as const;
const count = (min: number, max: number) => ({ type: "integer", min, max }) as const;

/** Keys for requests that the gateway sends to other servers. */
export const outboundConfigKeys = {
  outbound_allow: {
    kind: text,
    default: undefined,
    description:
      "Comma-separated addresses and networks that outbound requests of every tenant may go to although the gateway would refuse them, e.g. `127.0.0.1, 169.254.7.0/24`. The gateway refuses all addresses of its own machine, link-local addresses and metadata services. A network does not include the machine's own addresses; name each of them by itself.",
  },
  outbound_private: {
    kind: { type: "choice", choices: ["host", "all", "none"] },
    default: "host",
    description:
      "Which sites may send outbound requests to private networks, such as `192.168.0.0/16`: `host` is the gateway's own site alone, `all` is every site, `none` excludes every site.",
  },
  outbound_ca: {
    kind: text,
    default: undefined,
    description:
      "File with certificates (PEM) of authorities that the gateway trusts for webhook servers, in addition to the public ones.",
  },
  outbound_waiting_max: {
    kind: count(100, 10_000_000),
    default: 100_000,
    description:
      "Maximum number of webhooks waiting in the delivery queue. Beyond it, the tenant with the most loses the oldest webhooks of its fullest targets; they become dead letters.",
  },
  outbound_waiting_mb_max: {
    kind: count(1, 100_000),
    default: 256,
    description:
      "Maximum size of the webhooks waiting in the delivery queue, in MB. Beyond it, webhooks are given up as for `outbound_waiting_max`.",
  },
} as const;
