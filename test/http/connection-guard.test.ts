import { expect, test } from "bun:test";
import {
  ConnectionGuard,
  type ConnectionLimits,
  RECEIVED_BYTES_MAX,
} from "../../src/http/connection-guard.ts";
import { createLogger } from "../../src/platform/core/log.ts";
import type { AcceptedSockets } from "../../src/platform/network/accepted-sockets.ts";
import { FakeClock } from "../support/fake-clock.ts";

const OWN_PORT = 8080;

/** sockaddr_in or sockaddr_in6 of Linux. */
function socketAddress(address: string, port: number): Uint8Array {
  const head = [port >> 8, port & 0xff];
  if (!address.includes(":")) return new Uint8Array([2, 0, ...head, ...address.split(".").map(Number), 0, 0]);
  const groups = address.split(":").map((group) => Number.parseInt(group, 16));
  return new Uint8Array([
    10,
    0,
    ...head,
    0,
    0,
    0,
    0,
    ...groups.flatMap((group) => [group >> 8, group & 0xff]),
  ]);
}

class FakeSockets implements AcceptedSockets {
  readonly open = new Map<number, { peer: Uint8Array; localPort: number }>();
  readonly unread = new Set<number>();
  readonly closed: number[] = [];
  /** Descriptor of a listening socket → its port. */
  readonly listening = new Map([[3, OWN_PORT]]);
  /** Descriptor → bytes. */
  readonly limited = new Map<number, number>();

  connect(descriptor: number, address: string, localPort = OWN_PORT): void {
    this.open.set(descriptor, { peer: socketAddress(address, 40_000 + descriptor), localPort });
  }

  descriptors = () => [1, 2, ...this.listening.keys(), ...this.open.keys()];
  peerOf = (descriptor: number) => this.open.get(descriptor)?.peer;
  localPortOf = (descriptor: number) =>
    this.open.get(descriptor)?.localPort ?? this.listening.get(descriptor);
  /** Descriptor → bytes received and answered. */
  readonly traffic = new Map<number, { received: number; answered: number }>();
  trafficOf = (descriptor: number) => this.traffic.get(descriptor) ?? { received: 8, answered: 0 };
  hasUnread = (descriptor: number) => this.unread.has(descriptor);

  limitReceived = (descriptor: number, bytes: number) => void this.limited.set(descriptor, bytes);

  shutdown(descriptor: number): void {
    this.closed.push(descriptor);
    this.open.delete(descriptor);
  }
}

function createGuard(limits: Partial<ConnectionLimits> = {}) {
  const clock = new FakeClock();
  const sockets = new FakeSockets();
  const guard = new ConnectionGuard({
    limits: {
      http_connections_max: 10,
      http_connections_per_address_max: 2,
      http_connections_exempt: "10.0.0.0/8, ::1",
      http_first_request_timeout_ms: 5_000,
      trusted_proxies: undefined,
      ...limits,
    },
    sockets,
    ports: () => ({ plain: OWN_PORT, secure: 8443, mqttTls: 8883 }),
    clock,
    log: createLogger(),
  });
  guard.start();
  const request = (descriptor: number, address: string) =>
    guard.requested({ address, port: 40_000 + descriptor });
  return { clock, sockets, guard, request };
}

test("limits what its listening sockets receive, from the start and after a change of the certificate", () => {
  const { clock, sockets } = createGuard();
  expect([...sockets.limited]).toEqual([[3, RECEIVED_BYTES_MAX.plain]]);
  sockets.listening.set(4, 1883);
  sockets.listening.set(5, OWN_PORT);
  clock.advance(1_000);
  expect([...sockets.limited.keys()]).toEqual([3, 5]);
  sockets.listening.set(6, 8_443).set(7, 8_883);
  clock.advance(1_000);
  expect([6, 7].map((descriptor) => sockets.limited.get(descriptor))).toEqual([
    RECEIVED_BYTES_MAX.tls,
    RECEIVED_BYTES_MAX.tls,
  ]);
});

test("closes what has sent no request in time, and nothing else", () => {
  const { clock, sockets, request } = createGuard();
  sockets.connect(10, "192.0.2.1");
  sockets.connect(11, "192.0.2.2");
  sockets.connect(12, "192.0.2.3", 1883);
  sockets.connect(13, "192.0.2.4");
  sockets.unread.add(13);
  sockets.connect(14, "192.0.2.5");
  sockets.traffic.set(14, { received: 200, answered: 100 });
  sockets.connect(15, "192.0.2.6");
  sockets.traffic.set(15, { received: 100, answered: 0 }); // a message whose body or commit takes long
  request(11, "192.0.2.2");
  clock.advance(5_000);
  expect(sockets.closed).toEqual([]);
  clock.advance(60_000);
  expect(sockets.closed).toEqual([10]);
});

test("takes a new connection on an old descriptor for a new one", () => {
  const { clock, sockets, request } = createGuard();
  sockets.connect(10, "192.0.2.1");
  request(10, "192.0.2.1");
  clock.advance(4_000);
  sockets.connect(10, "192.0.2.9");
  clock.advance(4_000);
  expect(sockets.closed).toEqual([]);
  clock.advance(4_000);
  expect(sockets.closed).toEqual([10]);
});

test("counts IPv6 by network, and IPv4 by address whichever way it is written", () => {
  const { clock, sockets } = createGuard();
  for (const [index, address] of ["2001:db8:0:1:0:0:0:1", "2001:db8:0:1:0:0:0:2"].entries())
    sockets.connect(10 + index, address);
  sockets.connect(20, "192.0.2.1");
  sockets.connect(21, "0:0:0:0:0:ffff:c000:201");
  clock.advance(1_000);
  sockets.connect(12, "2001:db8:0:1:ffff:0:0:3");
  sockets.connect(13, "2001:db8:0:2:0:0:0:1");
  sockets.connect(22, "192.0.2.1");
  sockets.connect(23, "192.0.2.2");
  clock.advance(1_000);
  expect(sockets.closed.sort()).toEqual([12, 22]);
});

test("counts exempt addresses towards the limit in all only, and gives places back", () => {
  const { clock, sockets, request } = createGuard({ http_connections_max: 4 });
  for (const descriptor of [10, 11, 12, 13]) {
    sockets.connect(descriptor, "10.1.1.1");
    request(descriptor, "10.1.1.1");
  }
  clock.advance(1_000);
  sockets.connect(14, "192.0.2.1");
  clock.advance(1_000);
  expect(sockets.closed).toEqual([14]);
  sockets.open.delete(10);
  sockets.connect(15, "192.0.2.1");
  clock.advance(2_000);
  expect(sockets.closed).toEqual([14]);
});

test("does not count a connection that was handed over, and the one of that port at another address", () => {
  const { clock, sockets, guard, request } = createGuard({ http_connections_per_address_max: 1 });
  sockets.connect(10, "192.0.2.1");
  request(10, "192.0.2.1");
  guard.handOver({ address: "192.0.2.1", port: 40_010 });
  guard.handOver({ address: "192.0.2.99", port: 40_011 });
  clock.advance(1_000);
  sockets.connect(11, "192.0.2.1");
  request(11, "192.0.2.1");
  clock.advance(1_000);
  expect(sockets.closed).toEqual([]);
  sockets.connect(12, "192.0.2.1");
  clock.advance(1_000);
  expect(sockets.closed).toEqual([12]);
});

test("takes several steps where many descriptors are open", () => {
  const { clock, sockets, request } = createGuard({ http_connections_max: 5_000 });
  for (let descriptor = 10; descriptor < 3_010; descriptor++) {
    sockets.connect(descriptor, "10.1.1.1");
    if (descriptor % 2 === 0) request(descriptor, "10.1.1.1");
  }
  clock.advance(30_000);
  expect(sockets.closed.length).toBe(1_500);
  expect(sockets.closed.every((descriptor) => descriptor % 2 === 1)).toBe(true);
});

test("does not limit the connections of a trusted proxy", () => {
  const { clock, sockets, guard } = createGuard({ trusted_proxies: "192.0.2.0/28, 2001:db8::1" });
  for (let descriptor = 10; descriptor < 16; descriptor++) {
    sockets.connect(descriptor, "192.0.2.7");
    guard.requested({ address: "192.0.2.7", port: 40_000 + descriptor });
  }
  clock.advance(1_000);
  expect(sockets.closed).toEqual([]);
});
