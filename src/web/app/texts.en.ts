export const appEn = {
  "nav.label": "Main menu",
  "nav.skip": "Skip to content",
  "nav.overview": "Overview",
  "nav.devices": "Devices",
  "nav.explore": "Explore",
  "nav.integrations": "Integrations",
  "nav.pipelines": "Pipelines",
  "nav.scheduler": "Scheduler",
  "nav.mqttClients": "MQTT clients",
  "nav.modbus": "Modbus",
  "nav.uplinks": "Uplinks",
  "nav.generators": "Generators",
  "nav.dashboards": "Dashboards",
  "nav.settings": "Settings",
  "nav.group.watch": "Monitor",
  "nav.group.automate": "Automate",
  "nav.group.connect": "Connect",
  "nav.group.manage": "Manage",
  "nav.more": "More",
  "nav.trail": "Breadcrumb",

  "manual.title": "Manual",

  "palette.open": "Find",
  "palette.label": "Find devices, dashboards, alarms, settings and help",
  "palette.placeholder": "Device, dashboard, alarm, rule, help …",
  "palette.none": "Nothing found. Try fewer letters.",
  "palette.rule": "Alarm rule",
  "palette.screen": "Screen",
  "palette.action": "Action",

  "theme.label": "Theme",
  "theme.light": "Light",
  "theme.dark": "Dark",
  "theme.system": "Auto",
  "language.label": "Language",
  "account.label": "Account and appearance",
  "account.stay": "Stay signed in on this computer",
  "account.docs": "API documentation",
  "account.signOut": "Sign out",

  "page.security": "Security",

  "readiness.banner": "The gateway is not ready.",
  "readiness.details": "Details",

  "acting.banner": "You act as {name}.",
  "acting.hint": "The audit log records your actions under both names.",
  "acting.stop": "Stop acting",
  "acting.start": "Act as this user",
  "acting.startHint":
    "Shows what this user sees, for example to help. The audit log records your own name too.",
  "acting.notOwn":
    "You act as another user. Only that user can change the password, second factor and sessions.",
  "nav.alarms": "Alarms",
  "nav.faults": "Faults",
  "nav.codecs": "Codecs",
  "page.notifications": "Notifications",
  "page.profile": "My profile",

  "page.users": "Users",

  "page.api-keys": "API keys",
  "page.profiles": "Device profiles",
  "page.site": "Site and plan",

  "page.branding": "Branding",

  "settings.group.account": "Your account",
  "settings.group.site": "Site",
  "settings.group.gateway": "Gateway",
  "page.audit": "Audit log",

  "page.outbox": "Outbox",
  "page.backups": "Backups",
  "page.system": "System",
  "page.log": "Log",
} as const;
