import type { Socket, TCPSocketListener } from "bun";
import { toFingerprint } from "../../lib/network/certificate.ts";
import { TLS_CIPHERS } from "../../platform/network/tls.ts";
import { StartupError } from "../../platform/process/startup-error.ts";
import type {
  MqttConnectionHandle,
  MqttServerDeps,
  MqttTransport,
  PeerCertificate,
  TlsPair,
} from "../mqtt.types.ts";

/** TCP or TLS socket as a transport. Keeps the part of at most one write that the kernel did not accept. */
class SocketTransport implements MqttTransport {
  readonly remoteAddress: string;
  readonly protocol: "mqtt" | "mqtts";
  certificate: PeerCertificate | undefined;
  /** Set immediately after the socket is accepted. */
  handle!: MqttConnectionHandle;
  readonly #socket: Socket<SocketTransport>;
  #rest: Uint8Array | undefined;
  #closing = false;

  constructor(socket: Socket<SocketTransport>, protocol: "mqtt" | "mqtts") {
    this.#socket = socket;
    this.protocol = protocol;
    this.remoteAddress = socket.remoteAddress;
  }

  write(bytes: Uint8Array): boolean {
    const written = Math.max(0, this.#socket.write(bytes));
    if (written === bytes.length) return true;
    this.#rest = bytes.subarray(written);
    return false;
  }

  /** Sends the rest. Returns true when nothing is left. */
  drained(): boolean {
    const rest = this.#rest;
    this.#rest = undefined;
    return rest === undefined || this.write(rest);
  }

  /** Closes the socket. Unread bytes would reset the connection and lose the last output, so lingering only ends the server's side. */
  close(linger: boolean): void {
    if (this.#closing) this.#socket.terminate();
    else if (linger) this.#socket.shutdown();
    else this.#socket.end();
    this.#closing = true;
  }

  /** Called when the peer has sent its last byte. */
  peerEnded(): void {
    if (this.#closing) this.#socket.terminate();
    else this.#socket.end();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }
}

interface TcpListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly tls?: { readonly cert: string; readonly key: string };
  accept(transport: MqttTransport): MqttConnectionHandle;
}

/** Returns the certificate of the peer, regardless of its issuer. The handshake has proven that the peer holds its key. */
function peerCertificate(socket: Socket<SocketTransport>): PeerCertificate | undefined {
  const certificate: { fingerprint256?: string; valid_to?: string } | null = socket.getPeerCertificate();
  const fingerprint = toFingerprint(certificate?.fingerprint256 ?? "");
  return fingerprint === undefined
    ? undefined
    : { fingerprint, validTo: Date.parse(certificate?.valid_to ?? "") };
}

/** Listens, and passes every socket to `accept`. @throws Error for the operator if the port is not available */
function listenTcp(options: TcpListenerOptions): TCPSocketListener<SocketTransport> {
  const { host, port, tls, accept } = options;
  try {
    return Bun.listen<SocketTransport>({
      hostname: host,
      port,
      // Accepts any client certificate or none; the device's credentials decide.
      ...(tls === undefined
        ? {}
        : { tls: { ...tls, ciphers: TLS_CIPHERS, requestCert: true, rejectUnauthorized: false } }),
      socket: {
        open(socket) {
          const transport = new SocketTransport(socket, tls === undefined ? "mqtt" : "mqtts");
          transport.handle = accept(transport);
          socket.data = transport;
          // Refused immediately: it was closed before there was a listener.
          if (socket.readyState <= 0) transport.handle.closed();
          else socket.setNoDelay(true);
        },
        handshake(socket) {
          if (socket.data !== undefined) socket.data.certificate = peerCertificate(socket);
        },
        data: (socket, bytes) => socket.data.handle.data(bytes),
        drain: (socket) => {
          if (socket.data.drained()) socket.data.handle.drain();
        },
        end: (socket) => socket.data?.peerEnded(),
        close: (socket) => socket.data?.handle.closed(),
        error: (socket) => {
          socket.terminate();
        },
      },
    });
  } catch (cause) {
    throw new StartupError(
      `The MQTT port ${port} cannot be opened on ${host}: another program may be using it, or the address is not this machine's. Choose another port with --mqtt-port.`,
      { cause },
    );
  }
}

/** Ports for MQTT clients: without TLS unless it is off, and with TLS if there is a certificate. */
export class Listeners {
  readonly #deps: Pick<MqttServerDeps, "host" | "port" | "tls">;
  #plain: TCPSocketListener<unknown> | undefined;
  #tls: TCPSocketListener<unknown> | undefined;
  #tlsPort: number | undefined;
  #accept: TcpListenerOptions["accept"] | undefined;

  constructor(deps: Pick<MqttServerDeps, "host" | "port" | "tls">) {
    this.#deps = deps;
  }

  get port(): number | undefined {
    return this.#plain?.port ?? this.#deps.port;
  }

  get tlsPort(): number | undefined {
    return this.#tlsPort;
  }

  start(accept: TcpListenerOptions["accept"]): void {
    const { host, port, tls } = this.#deps;
    this.#accept = accept;
    if (port !== undefined) this.#plain = listenTcp({ host, port, accept });
    if (tls === undefined) return;
    this.#tls = listenTcp({ host: tls.host ?? host, port: tls.port, tls: tls.pair(), accept });
    this.#tlsPort = this.#tls.port;
  }

  /** Uses the new certificate for new connections; open ones are unchanged. @throws if the port is not available */
  renew(pair: TlsPair): void {
    if (this.#tlsPort === undefined || this.#accept === undefined) return;
    // A listening socket keeps the certificate that it was opened with, and two of them cannot share a port.
    this.#tls?.stop(false);
    this.#tls = undefined;
    const { host, tls } = this.#deps;
    this.#tls = listenTcp({ host: tls?.host ?? host, port: this.#tlsPort, tls: pair, accept: this.#accept });
  }

  stop(): void {
    this.#plain?.stop();
    this.#tls?.stop();
    this.#accept = undefined;
  }
}
