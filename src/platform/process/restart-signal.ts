/** Signal that makes a gateway stop and start again with the same process id. */
export const RESTART_SIGNAL = "SIGUSR2";
