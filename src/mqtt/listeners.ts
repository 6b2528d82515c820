import type { TCPSocketListener } from "bun";
import type { MqttServerDeps, TlsPair } from "./mqtt.types.ts";
import { listenTcp, type TcpListenerOptions } from "./tcp-listener.ts";

/** The ports that MQTT clients come in by: plain unless it is off, and with TLS where there is a certificate. */
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

  /** New connections get the new certificate; those that are open stay as they are. Throws when the port cannot be had. */
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
