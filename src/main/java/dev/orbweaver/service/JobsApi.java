package dev.orbweaver.service;

import dev.orbweaver.JobRecord;
import dev.orbweaver.JobRecord.State;
import dev.orbweaver.JobWish;
import dev.orbweaver.Jobs;
import dev.orbweaver.config.ConfigException;
import dev.orbweaver.config.Seed;
import dev.orbweaver.config.Settings;
import dev.orbweaver.frontier.DeadLetter;
import dev.orbweaver.frontier.JobHosts;
import dev.orbweaver.url.CrawlUrls;
import dev.orbweaver.url.Normalisation;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** Jobs: sent, listed, steered. */
final class JobsApi {

    private static final int SEEDS_MAX = 10_000;
    private static final int KEY_MAX = 200;
    private static final int HOSTS_MAX = 2_000;
    private static final Set<String> WISHES =
            Set.of("seeds", "settings", "preset", "weight", "webhook");
    private static final Set<String> RETRIES = Set.of("url", "cause");

    private static final CrawlUrls URLS = new CrawlUrls(Normalisation.DEFAULT);

    private final Jobs jobs;
    private final Feeds feeds;
    private final Webhooks webhooks;
    private final int openMax;

    JobsApi(Jobs jobs, Feeds feeds, Webhooks webhooks, int openMax) {
        this.jobs = jobs;
        this.feeds = feeds;
        this.webhooks = webhooks;
        this.openMax = openMax;
    }

    JobRecord job(Call call) {
        return jobs.find(call.job())
                .orElseThrow(
                        () ->
                                ProblemException.of(
                                        ProblemException.NOT_FOUND,
                                        "There is no job " + call.job().number() + "."));
    }

    private Map<String, Object> json(JobRecord job) {
        return new JobJson(jobs, feeds.ifPossible(job)).of(job);
    }

    void create(Call call) throws Exception {
        var key = call.header("Idempotency-Key").filter(text -> !text.isBlank());
        if (key.filter(text -> text.length() > KEY_MAX).isPresent()) {
            throw ProblemException.in(
                    "Idempotency-Key",
                    "An idempotency key has at most " + KEY_MAX + " characters.");
        }
        // A key is its sender's own: nobody finds another's job by guessing.
        var ownKey = key.map(text -> Guard.caller(call) + "/" + text);
        var before = ownKey.flatMap(jobs::sentUnder);
        if (before.isPresent()) {
            call.json(200, json(before.get()));
            return;
        }
        var wish = wish(call.body(), ownKey);
        if (jobs.all().stream().filter(job -> job.state().isOpen()).count() >= openMax) {
            throw ProblemException.of(
                    ProblemException.TOO_MANY,
                    "There are %d jobs that have not ended: wait for one, or stop one."
                            .formatted(openMax));
        }
        var job = submit(wish);
        call.context().header("Location", "/api/v1/jobs/" + job.id().number());
        call.json(202, json(job));
    }

    private JobRecord submit(JobWish wish) throws IOException {
        try {
            return jobs.submit(wish);
        } catch (ConfigException e) {
            throw inSettings(e);
        }
    }

    private JobWish wish(JsonNode body, Optional<String> key) {
        for (var name : body.propertyNames()) {
            if (!WISHES.contains(name)) {
                throw ProblemException.in(
                        name,
                        "There is no field %s; a job has seeds, settings, preset, weight and webhook."
                                .formatted(name));
            }
        }
        return new JobWish(
                seeds(body.path("seeds")),
                settings(body).toString(),
                weight(body.path("weight"), 1),
                key,
                webhook(body.path("webhook")));
    }

    private static List<String> seeds(JsonNode seeds) {
        if (!seeds.isArray() || seeds.isEmpty()) {
            throw ProblemException.in("seeds", "seeds must be a list with at least one URL.");
        }
        if (seeds.size() > SEEDS_MAX) {
            throw ProblemException.in(
                    ProblemException.TOO_LARGE, "seeds", "A job has at most 10,000 seeds.");
        }
        var texts = new ArrayList<String>();
        for (var i = 0; i < seeds.size(); i++) {
            if (!seeds.get(i).isString() || seeds.get(i).asString().isBlank()) {
                throw ProblemException.in("seeds[" + i + "]", "A seed must be a URL as text.");
            }
            if (Seed.hasCredentials(seeds.get(i).asString())) {
                throw ProblemException.in(
                        "seeds[" + i + "]",
                        "A seed must not contain a user name or password; use the setting"
                                + " credentials.");
            }
            if (Seed.read(seeds.get(i).asString(), URLS).isEmpty()) {
                throw ProblemException.in(
                        "seeds[" + i + "]",
                        "'%s' is no http or https URL; write for example https://example.com/."
                                .formatted(seeds.get(i).asString()));
            }
            texts.add(seeds.get(i).asString());
        }
        return texts;
    }

    private ObjectNode settings(JsonNode body) {
        var settings = body.path("settings");
        if (!settings.isMissingNode() && !settings.isObject()) {
            throw ProblemException.in(
                    "settings", "settings must be an object of names and values.");
        }
        var all =
                settings.isObject()
                        ? (ObjectNode) settings.deepCopy()
                        : JsonMapper.shared().createObjectNode();
        for (var name : all.propertyNames()) {
            if (jobs.table().find(name).isEmpty()) {
                throw ProblemException.in("settings." + name, "There is no setting " + name + ".");
            }
            if (name.equals(Settings.SEEDS)) {
                throw ProblemException.in(
                        "settings.seeds", "Seeds are beside the settings, not among them.");
            }
        }
        text(body, "preset").ifPresent(preset -> all.put("preset", preset));
        return all;
    }

    /** A field that is text, if it is there at all. */
    private static Optional<String> text(JsonNode body, String name) {
        var value = body.path(name);
        if (value.isMissingNode()) {
            return Optional.empty();
        }
        if (!value.isString()) {
            throw ProblemException.in(name, name + " must be text.");
        }
        return Optional.of(value.asString());
    }

    private static int weight(JsonNode weight, int fallback) {
        if (weight.isMissingNode()) {
            return fallback;
        }
        if (!weight.isInt() || weight.asInt() < 1 || weight.asInt() > JobWish.WEIGHT_MAX) {
            throw ProblemException.in("weight", "weight must be a number from 1 to 100.");
        }
        return weight.asInt();
    }

    private Optional<JobRecord.Webhook> webhook(JsonNode webhook) {
        if (webhook.isMissingNode() || webhook.isNull()) {
            return Optional.empty();
        }
        var url = webhook.path("url").asString("");
        var secret = webhook.path("secret").asString("");
        if (secret.length() < 8) {
            throw ProblemException.in(
                    "webhook.secret",
                    "webhook.secret must have at least 8 characters: messages are signed with it.");
        }
        webhooks.check(url);
        return Optional.of(new JobRecord.Webhook(url, secret));
    }

    /** Names the setting that a problem begins with. */
    private ProblemException inSettings(ConfigException e) {
        var problem = e.problems().getFirst();
        var word =
                problem.replaceFirst("^(there is no setting )?(settings: )?", "")
                        .replaceFirst("[^a-z0-9-].*$", "");
        var field =
                word.equals(Settings.SEEDS)
                        ? word
                        : jobs.table().find(word).map(_ -> "settings." + word).orElse("settings");
        return ProblemException.in(field, String.join("; ", e.problems()));
    }

    void list(Call call) throws Exception {
        var state = call.query("state").map(JobsApi::state);
        var text = call.query("q").map(words -> words.toLowerCase(Locale.ROOT));
        var wanted =
                jobs.all().stream()
                        .filter(job -> job.state() != State.DELETED)
                        .filter(job -> state.isEmpty() || job.state() == state.get())
                        .filter(job -> text.isEmpty() || names(job, text.get()))
                        .toList();
        var shown = new ArrayList<Map<String, Object>>();
        for (var job : wanted.stream().skip(call.offset()).limit(call.limit()).toList()) {
            shown.add(new JobJson(jobs, feeds.open(job.id())).brief(job));
        }
        call.json(Json.page(shown, wanted.size(), call.offset(), call.limit(), each -> each));
    }

    private static boolean names(JobRecord job, String text) {
        return job.seeds().stream().anyMatch(seed -> seed.toLowerCase(Locale.ROOT).contains(text));
    }

    private static State state(String word) {
        return Arrays.stream(State.values())
                .filter(state -> state != State.DELETED && state.word().equals(word))
                .findFirst()
                .orElseThrow(
                        () ->
                                ProblemException.in(
                                        "state",
                                        "There is no state '%s', only queued, running, paused, finished, stopped and failed."
                                                .formatted(word)));
    }

    void get(Call call) throws Exception {
        call.json(json(job(call)));
    }

    void change(Call call) throws Exception {
        var job = job(call);
        var body = call.body();
        for (var name : body.propertyNames()) {
            if (!name.equals("settings") && !name.equals("weight")) {
                throw ProblemException.in(name, "Only settings and weight can be changed.");
            }
        }
        var settings = (ObjectNode) JsonMapper.shared().readTree(job.settings());
        settings(body).properties().forEach(each -> settings.set(each.getKey(), each.getValue()));
        try {
            var changed =
                    jobs.change(
                            job.id(),
                            settings.toString(),
                            weight(body.path("weight"), job.weight()));
            call.json(json(changed));
        } catch (ConfigException e) {
            throw inSettings(e);
        }
    }

    void pause(Call call) throws Exception {
        call.json(json(jobs.pause(job(call).id())));
    }

    void resume(Call call) throws Exception {
        call.json(json(jobs.resume(job(call).id())));
    }

    void stop(Call call) throws Exception {
        call.json(json(jobs.stop(job(call).id())));
    }

    void delete(Call call) throws Exception {
        jobs.delete(job(call).id());
        call.context().status(204);
    }

    void history(Call call) throws Exception {
        call.json(feeds.of(job(call)).history().json());
    }

    void hosts(Call call) throws Exception {
        var state = call.query("state");
        var wanted =
                jobs.hosts(job(call).id(), HOSTS_MAX).first().stream()
                        .filter(host -> state.isEmpty() || word(host).equals(state.get()))
                        .toList();
        call.json(
                Json.page(
                        wanted.stream().skip(call.offset()).limit(call.limit()).toList(),
                        wanted.size(),
                        call.offset(),
                        call.limit(),
                        JobFeed::host));
    }

    private static String word(JobHosts.Host host) {
        return host.state().name().toLowerCase(Locale.ROOT);
    }

    void deadLetters(Call call) throws Exception {
        var job = job(call);
        var cause = call.query("cause");
        var letters = new ArrayList<DeadLetter>();
        var total = new long[1];
        var last = call.offset() + call.limit();
        jobs.deadLetters(
                job,
                letter -> {
                    if (cause.isEmpty() || letter.cause().word().equals(cause.get())) {
                        if (total[0] >= call.offset() && total[0] < last) {
                            letters.add(letter);
                        }
                        total[0]++;
                    }
                });
        call.json(Json.page(letters, total[0], call.offset(), call.limit(), JobsApi::letter));
    }

    private static Map<String, Object> letter(DeadLetter letter) {
        var json = new LinkedHashMap<String, Object>();
        json.put("url", letter.url().toString());
        json.put("cause", letter.cause().word());
        json.put("tries", letter.attempts() + 1);
        json.put("depth", letter.depth());
        json.put("foundAt", letter.foundAt().toString());
        return json;
    }

    void retry(Call call) throws Exception {
        var job = job(call);
        call.json(Map.of("retried", jobs.retry(job.id(), which(call.body()))));
    }

    /** Nothing but an empty body means all of them: who misspells a name did not mean that. */
    private static Predicate<DeadLetter> which(JsonNode body) {
        for (var name : body.propertyNames()) {
            if (!RETRIES.contains(name)) {
                throw ProblemException.in(
                        name,
                        "There is no field %s; what is tried again has a url or a cause."
                                .formatted(name));
            }
        }
        var url = text(body, "url");
        var cause = text(body, "cause");
        if (url.isPresent() && cause.isPresent()) {
            throw ProblemException.in("cause", "Name a url or a cause, not both.");
        }
        return letter ->
                url.filter(wanted -> !letter.url().toString().equals(wanted)).isEmpty()
                        && cause.filter(wanted -> !letter.cause().word().equals(wanted)).isEmpty();
    }
}
