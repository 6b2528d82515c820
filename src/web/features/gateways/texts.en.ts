export const gatewaysEn = {
  "children.hint": "This list shows the devices that connect through this gateway.",
  "children.none": "No child devices yet",
  "children.noneHint":
    "They appear as soon as the gateway publishes on v1/gateway/connect or v1/gateway/telemetry. You can also create a child device, or attach existing devices.",
  "children.attach": "Attach devices",
  "children.attachGo": "Attach",
  "children.attachHint":
    "The gateway can then publish for these devices under their names. A device of another gateway is moved to this one.",
  "children.attached.one": "One device attached.",
  "children.attached.other": "{count} devices attached.",
  "children.detach": "Detach",
  "children.detachOf": "Detach {name}",
  "children.detachWarning":
    "The device stays with its data. Messages that the gateway sends for it are refused until you attach it again.",
  "children.detached": "{name} is detached.",
  "children.noName": "no name at the gateway: another child has it",
  "child.gateway": "Gateway",
  "child.saveName": "Save name",
  "child.title": "Parent gateway",
  "child.hint": "A device behind a gateway sends and receives through it. Its own token works too.",
  "child.none": "None: the device connects by itself",
} as const;
