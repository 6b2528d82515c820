export const gatewaysEn = {
  "children.hint": "The devices that this gateway speaks for.",
  "children.none": "No child devices yet",
  "children.noneHint":
    "They appear by themselves as soon as the gateway publishes on v1/gateway/connect or v1/gateway/telemetry. You can also create one, or attach devices that exist.",
  "children.attach": "Attach devices",
  "children.attachGo": "Attach",
  "children.attachHint":
    "The gateway may speak for them from now on, under their names. A device that is behind another gateway moves here.",
  "children.attached.one": "One device is attached.",
  "children.attached.other": "{count} devices are attached.",
  "children.detach": "Detach",
  "children.detachOf": "Detach {name}",
  "children.detachWarning":
    "The device stays, with its data. What the gateway goes on sending for it is refused until you attach it again.",
  "children.detached": "{name} is detached.",
  "children.noName": "no name at the gateway: another child has it",
  "child.gateway": "Gateway",
  "child.title": "Gateway in front of it",
  "child.hint": "A device behind a gateway sends and receives through it; its own token works too.",
  "child.none": "None: it connects by itself",
} as const;
