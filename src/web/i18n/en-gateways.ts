export const enGateways = {
  "tab.children": "Child devices",
  "devices.roleFilter": "Role",
  "devices.allRoles": "All roles",
  "devices.gateways": "Gateways",
  "children.hint": "The devices that this gateway speaks for.",
  "children.none": "No child devices yet",
  "children.noneHint":
    "They appear by themselves as soon as the gateway publishes on v1/gateway/connect or v1/gateway/telemetry. You can also create one, or attach devices that exist.",
  "children.create": "New child device",
  "children.createGo": "Create",
  "children.created": "{name} is behind this gateway now.",
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
  "children.calledBy": "Name at the gateway",
  "children.noName": "no name at the gateway: another child has it",
  "child.gateway": "Gateway",
  "child.title": "Gateway in front of it",
  "child.hint": "A device behind a gateway sends and hears through it; its own token works too.",
  "child.nameHint": "What the gateway calls the device in its messages. It stays when you rename the device.",
  "child.none": "None: it connects by itself",
  "problem.childName": "The gateway calls another device so already. Choose another name.",
  "problem.parent": "This gateway no longer exists, or you may not see it.",
  "rejection.childElsewhere":
    "A device of this name exists and is not behind this gateway. Attach it on the tab Child devices if the gateway may speak for it.",
  "rejection.childUnknown":
    "The gateway has no such child device, and its profile does not let it make any. Create the child, or allow it in the profile.",
  "rejection.childName":
    "The name of the child device is empty, longer than 256 characters or holds a control character.",
  "rejection.childrenLimit":
    "The gateway has made 10,000 child devices already. Check whether it invents names; more can be created by hand.",
  "rejection.gatewayBody":
    "The body is not what this topic takes: an object with the names of child devices.",
  "rejection.tooManyChildren": "The message names more than 1,000 child devices. Send it in parts.",
} as const;
