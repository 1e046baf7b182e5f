package dev.orbweaver.server;

import dev.orbweaver.server.AccessControl.Access;

import java.util.List;

/** Registers all routes. A test compares them with the OpenAPI document. */
final class Routes {

    static final String API = "/api/v1";

    /**
     * A route; GET routes also serve HEAD.
     *
     * @param parameters the accepted query parameters; any other is an error
     */
    record Route(
            String method,
            String path,
            Access access,
            ApiCall.Handler handler,
            List<String> parameters) {}

    private final List<Route> all;

    Routes(
            JobsApi jobs,
            BulkApi bulk,
            RecrawlApi recrawl,
            SeedsApi seeds,
            HostsApi hosts,
            WebhooksApi webhooks,
            PagesApi pages,
            ReportsApi reports,
            TotalsApi totals,
            EventsApi events,
            ChangesApi changes,
            ExportsApi exports,
            MapApi map,
            ScrapeApi scrape,
            TemplatesApi templates,
            SchedulesApi schedules,
            IndexNowApi indexNow,
            SystemApi system,
            AccessControl accessControl) {
        all =
                List.of(
                        api("GET", "/session", Access.OPEN, accessControl::session),
                        api("POST", "/session", Access.OPEN, accessControl::signIn),
                        api("DELETE", "/session", Access.OPEN, accessControl::signOut),
                        api("POST", "/jobs", Access.OPERATOR, jobs::create),
                        api(
                                "GET",
                                "/jobs",
                                Access.TOKEN,
                                jobs::list,
                                "state",
                                "q",
                                "tag",
                                "family",
                                "sort",
                                "offset",
                                "limit"),
                        api("GET", "/totals", Access.TOKEN, totals::get),
                        api("GET", "/jobs/{id}", Access.TOKEN, jobs::get),
                        api("PATCH", "/jobs/{id}", Access.OPERATOR, jobs::change),
                        api("DELETE", "/jobs/{id}", Access.OPERATOR, jobs::delete),
                        api("POST", "/jobs/{id}/pause", Access.OPERATOR, jobs::pause),
                        api("POST", "/jobs/{id}/resume", Access.OPERATOR, jobs::resume),
                        api("POST", "/jobs/{id}/stop", Access.OPERATOR, jobs::stop),
                        api("POST", "/jobs/{id}/clone", Access.OPERATOR, jobs::copy),
                        api("POST", "/jobs/bulk", Access.OPERATOR, bulk::change),
                        api("POST", "/jobs/{id}/recrawl", Access.OPERATOR, recrawl::create),
                        api("POST", "/jobs/{id}/seeds", Access.OPERATOR, seeds::add),
                        api("POST", "/jobs/{id}/seeds/remove", Access.OPERATOR, seeds::remove),
                        api(
                                "GET",
                                "/jobs/{id}/webhook/deliveries",
                                Access.TOKEN,
                                webhooks::list,
                                "offset",
                                "limit"),
                        api(
                                "POST",
                                "/jobs/{id}/webhook/deliveries/{delivery}/redeliver",
                                Access.OPERATOR,
                                webhooks::redeliver),
                        api("GET", "/jobs/{id}/history", Access.TOKEN, jobs::history),
                        api("GET", "/jobs/{id}/revisits", Access.TOKEN, jobs::revisits),
                        api(
                                "GET",
                                "/jobs/{id}/hosts",
                                Access.TOKEN,
                                jobs::hosts,
                                "state",
                                "offset",
                                "limit"),
                        api("GET", "/jobs/{id}/hosts/{host}", Access.TOKEN, hosts::get),
                        api(
                                "GET",
                                "/jobs/{id}/dead-letters",
                                Access.TOKEN,
                                jobs::deadLetters,
                                "cause",
                                "offset",
                                "limit"),
                        api("POST", "/jobs/{id}/dead-letters/retry", Access.OPERATOR, jobs::retry),
                        api(
                                "GET",
                                "/jobs/{id}/pages",
                                Access.TOKEN,
                                pages::list,
                                "q",
                                "host",
                                "path",
                                "url",
                                "status",
                                "kind",
                                "type",
                                "excerpts",
                                "from",
                                "to",
                                "after",
                                "order",
                                "offset",
                                "limit"),
                        api(
                                "GET",
                                "/jobs/{id}/errors",
                                Access.TOKEN,
                                pages::errors,
                                "q",
                                "host",
                                "path",
                                "url",
                                "status",
                                "type",
                                "excerpts",
                                "from",
                                "to",
                                "after",
                                "order",
                                "offset",
                                "limit"),
                        api("GET", "/jobs/{id}/pages/{seq}", Access.TOKEN, pages::get),
                        api(
                                "GET",
                                "/jobs/{id}/pages/{seq}/markdown",
                                Access.TOKEN,
                                pages::markdown,
                                "download"),
                        api("GET", "/jobs/{id}/pages/{seq}/raw", Access.TOKEN, pages::raw),
                        api("GET", "/jobs/{id}/tree", Access.TOKEN, pages::tree, "path"),
                        api("GET", "/jobs/{id}/why", Access.TOKEN, pages::why, "url"),
                        api("GET", "/jobs/{id}/report", Access.TOKEN, reports::get),
                        api("GET", "/jobs/{id}/diff", Access.TOKEN, reports::diff, "with", "since"),
                        api("GET", "/jobs/{id}/exports", Access.TOKEN, exports::list),
                        api("POST", "/jobs/{id}/exports", Access.OPERATOR, exports::start),
                        api("GET", "/jobs/{id}/exports/tasks/{task}", Access.TOKEN, exports::task),
                        api(
                                "DELETE",
                                "/jobs/{id}/exports/tasks/{task}",
                                Access.OPERATOR,
                                exports::deleteTask),
                        api(
                                "GET",
                                "/jobs/{id}/exports/tasks/{task}/file",
                                Access.TOKEN,
                                exports::taskFile),
                        api(
                                "GET",
                                "/jobs/{id}/exports/{format}",
                                Access.TOKEN,
                                exports::download,
                                "content",
                                "mediaType"),
                        api(
                                "GET",
                                "/jobs/{id}/events",
                                Access.TOKEN,
                                events::listen,
                                "lastEventId"),
                        api(
                                "GET",
                                "/jobs/{id}/changes/events",
                                Access.TOKEN,
                                changes::listen,
                                "lastEventId"),
                        api("GET", "/jobs/{id}/changes/{seq}", Access.TOKEN, changes::get),
                        api("POST", "/map", Access.OPERATOR, map::create),
                        api("POST", "/scrape", Access.OPERATOR, scrape::create),
                        api("GET", "/templates", Access.TOKEN, templates::list, "offset", "limit"),
                        api("GET", "/templates/{name}", Access.TOKEN, templates::get),
                        api("PUT", "/templates/{name}", Access.OPERATOR, templates::put),
                        api("DELETE", "/templates/{name}", Access.OPERATOR, templates::delete),
                        api("POST", "/schedules", Access.OPERATOR, schedules::create),
                        api("GET", "/schedules", Access.TOKEN, schedules::list, "offset", "limit"),
                        api("GET", "/schedules/{id}", Access.TOKEN, schedules::get),
                        api("PATCH", "/schedules/{id}", Access.OPERATOR, schedules::change),
                        api("DELETE", "/schedules/{id}", Access.OPERATOR, schedules::delete),
                        api("POST", "/schedules/{id}/run", Access.OPERATOR, schedules::run),
                        api(
                                "GET",
                                "/schedules/{id}/runs",
                                Access.TOKEN,
                                schedules::runs,
                                "offset",
                                "limit"),
                        api("GET", "/audit", Access.ADMIN, system::audit, "limit"),
                        api("GET", "/tokens", Access.ADMIN, system::tokens),
                        api("GET", "/presets", Access.TOKEN, system::presets),
                        api("GET", "/settings", Access.TOKEN, system::settings),
                        api("GET", "/fleet", Access.TOKEN, system::fleet),
                        api("GET", "/health", Access.OPEN, system::health),
                        api("GET", "/ready", Access.OPEN, system::ready),
                        api("GET", "/openapi.json", Access.OPEN, system::openApi),
                        new Route(
                                "GET",
                                "/indexnow",
                                Access.OPEN,
                                indexNow::get,
                                List.of("url", "key", "keyLocation")),
                        new Route("POST", "/indexnow", Access.OPEN, indexNow::post, List.of()),
                        new Route("GET", "/metrics", Access.TOKEN, system::metrics, List.of()));
    }

    private static Route api(
            String method,
            String path,
            Access access,
            ApiCall.Handler handler,
            String... parameters) {
        return new Route(method, API + path, access, handler, List.of(parameters));
    }

    List<Route> all() {
        return all;
    }
}
