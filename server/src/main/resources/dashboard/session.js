// The role of the user, which decides what the dashboard offers. The service checks every call by itself.

let role = 'admin';

/** Takes the response of GET /session. Without tokens everything is allowed. */
export function setSession(session) {
    role = session.role ?? (session.tokenRequired ? 'viewer' : 'admin');
}

/** Whether the user may start, change and delete jobs and schedules. */
export function mayOperate() {
    return role !== 'viewer';
}

/** The role: viewer, operator or admin. */
export function currentRole() {
    return role;
}
