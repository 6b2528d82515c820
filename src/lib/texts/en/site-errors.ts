export const siteErrors = {
  "branding.invalid": "{field}: {rule}",
  "branding.logo_not_found": "The gateway has no logo of its own.",
  "console.not_built": "The console is not built. Run npm start.",
  "dashboard.alias_missing": "alias: is required",
  "dashboard.device_type_unknown": "There is no device of the type “{deviceType}”.",
  "dashboard.invalid": "{field}: {rule}",
  "dashboard.limit": "A site can have at most {limit} dashboards. Delete one first.",
  "dashboard.not_found": "There is no such dashboard.",
  "dashboard.too_many_points":
    "The widgets show more than {max} points. Select fewer devices or keys, or request fewer points.",
  "dashboard.too_many_values":
    "The widgets show more than {max} newest values. Select fewer devices, keys or widgets.",
  "dashboard.too_many_series": "A dashboard can show at most {max} series. Select fewer devices or keys.",
  "dashboard.share_busy": "Too many screens use this link at once. Try again in a moment.",
  "dashboard.share_end": "expiresAt: must be a time like 2026-12-24T18:00:00Z",
  "dashboard.share_ended": "This link is not valid or has expired.",
  "dashboard.share_expired": "expiresAt: must be in the future",
  "dashboard.share_forbidden":
    "Only users with access to all devices may see and create links to a dashboard.",
  "dashboard.share_limit": "A dashboard can have at most {limit} links. Delete one first.",
  "dashboard.share_not_found": "There is no such link.",
  "dashboard.shared":
    "This dashboard has links. Only users with access to all devices may change what it shows.",
  "demo_plant.no_room":
    "The demo plant needs {needed} more devices, and the plan of this site has room for {room}.",
  "gateway.operators_only":
    "Only owners of the gateway's own site with access to all devices may manage the gateway.",
  "metrics.token_wrong": "The token of the metrics is missing or wrong.",
  "support.not_local":
    "A command on the same machine proves by a file that it may read this; the proof is missing or wrong.",
  "path.not_found":
    "There is nothing at this path. The API documentation, at /docs below the gateway's address, lists all paths.",
  "plan.bytes_limit": "The plan of this site allows {limit} bytes a second from all devices together.",
  "plan.devices_limit": "The plan of this site allows {limit} devices. Delete one, or select another plan.",
  "plan.messages_limit": "The plan of this site allows {limit} messages a second from all devices together.",
  "plan.users_limit": "The plan of this site allows {limit} users. Delete one, or select another plan.",
  "plan.whitelabel": "The plan of this site does not include whitelabeling.",
  "proxy.address_invalid": "trustedProxies: {entry} is neither an address nor a network such as 10.0.5.0/24.",
  "proxy.fixed": "The configuration of the gateway sets {key}. Change it there and restart the gateway.",
  "proxy.no_headers":
    "The request came from the trusted proxy {peer}, but without X-Forwarded headers. Without a proxy in between, clients at this address can claim any other; otherwise let the proxy send the headers.",
  "proxy.no_protocol":
    "The proxy sends no X-Forwarded-Proto. If it has the certificate, the gateway does not know that the browser uses HTTPS.",
  "proxy.not_trusted":
    "The request has X-Forwarded headers, but {peer} is no trusted proxy, so they are ignored. Add the address if it is your proxy.",
  "proxy.other_address": "The public address is {url}, but this request asked for {seen}.",
  "proxy.public_url_invalid":
    "publicUrl: must be an http or https address without query and fragment. Its path may have letters, digits and - _ . ~ only, and must not begin with a path of the gateway such as /api.",
  "system.clock_ahead":
    "The gateway's clock is more than a day ahead of {time}, when the gateway last ran. Until a time server or an owner confirms the time, no old data is deleted, and scheduled jobs and escalations wait. Connect a time server, or confirm the time under Settings → System.",
  "system.clock_behind":
    "The clock of the gateway may be behind. Messages whose time stamps are more than a day ahead are kept until it catches up (messages: {messages}, devices: {devices}). Check the clocks.",
  "system.clock_too_early": "The system's clock shows {time}. Set it first.",
  "system.clock_stepped":
    "The clock of the gateway was set by {seconds} s within the last hour. Check its time server, and whether values have a wrong time.",
  "tls.certificate_refused":
    "The new TLS certificate cannot be used, so the previous certificate stays in use: {reason}",
  "tls.certificate_expired": "The TLS certificate has expired. Renew it and replace its files.",
  "tls.certificate_expires": "The TLS certificate expires in {days} days. Renew it and replace its files.",
  "system.clock_unknown":
    "The last known time is lost, so the gateway's clock may be wrong. Until a time server or an owner confirms the time, no old data is deleted, and scheduled jobs and escalations wait. Connect a time server, or confirm the time under Settings → System.",
  "system.clock_unset":
    "The clock of the gateway is not set. Time goes on from the newest time that the gateway knows, and scheduled jobs and escalations wait. Connect a time server, set the clock, or confirm it under Settings → System.",
  "system.not_ready": "Lineside is starting or stopping. Try again in a moment.",
  "system.open_files":
    "The gateway has {open} of at most {max} files and connections open, so new connections may fail. Close connections, or raise the service's LimitNOFILE.",
  "tenant.host": "This site belongs to the operators of the gateway and cannot be deleted.",
  "tenant.host_sees_all": "The gateway's own site has all readings of the gateway already.",
  "tenant.mqtt_connections_limit": "A site can have at most {max} MQTT connections.",
  "tenant.mqtt_sessions_limit": "A site can have at most {max} durable MQTT sessions.",
  "tenant.not_found": "There is no such site.",
  "tenant.unconfirmed": "tenantName: must be the name of the site to be deleted",
  "tenant_attribute.limit": "A site can have at most {limit} attributes. Delete one first.",
  "tenant_attribute.not_found": "The site has no such attribute.",
  "tenant_attribute.too_large": "value: must have at most {bytes} KiB",
  "tenant_attribute.value_invalid": "value: must be an object",
} as const;
