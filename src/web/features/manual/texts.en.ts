export const manualEn = {
  "manual.search": "Search the manual",
  "manual.none": "Nothing found",
  "manual.noneHint": "Try fewer words.",
  "manual.pages": "Pages of the manual",
  "manual.start": "Start here",
  "manual.devices": "Devices",
  "manual.networks": "Other networks",
  "manual.rules": "Rules and dashboards",
  "manual.users": "Users and access",
  "manual.operation": "Operation",
  "manual.language": "",
} as const;
