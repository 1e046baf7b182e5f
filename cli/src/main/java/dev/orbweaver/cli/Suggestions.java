package dev.orbweaver.cli;

import static java.util.Map.entry;

import dev.orbweaver.internal.config.EditDistance;

import picocli.CommandLine.Model.CommandSpec;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** What an unknown option or command probably means: a typo, or an option of another program. */
final class Suggestions {

    private static final Pattern OPTION = Pattern.compile("--[a-z-]+");

    private static final String FOLLOWED = "links are followed without it, up to --max-depth";

    /**
     * Options of wget, curl and other crawlers; the advice is given if a command has its option.
     */
    static final Map<String, String> OF_OTHER_PROGRAMS =
            Map.ofEntries(
                    entry("--wait", "use --delay"),
                    entry("--rate", "use --delay"),
                    entry("--limit-rate", "use --delay; bytes per second have no limit"),
                    entry("--waitretry", "use --retry-delay"),
                    entry("--tries", "use --max-retries"),
                    entry("--retry", "use --max-retries"),
                    entry("--level", "use --max-depth"),
                    entry("--depth", "use --max-depth"),
                    entry("--recursive", FOLLOWED),
                    entry("--mirror", FOLLOWED),
                    entry("--no-parent", "use --scope path"),
                    entry("--domains", "use --scope domain, or --include"),
                    entry("--span-hosts", "use --scope any"),
                    entry("--accept", "use --include with a regular expression"),
                    entry("--accept-regex", "use --include"),
                    entry("--include-directories", "use --include"),
                    entry("--reject", "use --exclude with a regular expression"),
                    entry("--reject-regex", "use --exclude"),
                    entry("--exclude-directories", "use --exclude"),
                    entry("--execute", "for robots=off use --robots ignore"),
                    entry("--ignore-robots", "use --robots ignore"),
                    entry("--quota", "use --max-bytes"),
                    entry("--max-filesize", "use --max-content-length"),
                    entry("--max-redirs", "use --max-redirects"),
                    entry("--read-timeout", "use --timeout"),
                    entry("--dns-servers", "use --dns-server"),
                    entry("--threads", "use --concurrency"),
                    entry("--workers", "use --concurrency"),
                    entry("--parallel", "use --concurrency"),
                    entry("--parallel-max", "use --concurrency"),
                    entry("--agent", "use --user-agent"),
                    entry("--load-cookies", "use --cookies-file"),
                    entry("--cookie", "use --cookies-file, or --cookies for those of the servers"),
                    entry("--cookie-jar", "use --cookies-file"),
                    entry("--user", "use --credentials"),
                    entry("--http-user", "use --credentials"),
                    entry("--http-password", "use --credentials"),
                    entry("--no-check-certificate", "use --insecure"),
                    entry("--socks5", "use --proxy socks5://HOST:PORT"),
                    entry("--input-file", "use --seeds"),
                    entry("--output-document", "use --out with a directory"),
                    entry("--output", "use --out with a directory"),
                    entry("--output-dir", "use --out"),
                    entry("--directory-prefix", "use --out"),
                    entry("--continue", "the same command with the same --out resumes a crawl"));

    private Suggestions() {}

    /** Returns advice for an unknown option. */
    static Optional<String> forOption(String given, CommandSpec command) {
        var name = given.replaceFirst("=.*", "");
        var names =
                command.options().stream()
                        .flatMap(option -> Arrays.stream(option.names()))
                        .toList();
        return Optional.ofNullable(OF_OTHER_PROGRAMS.get(name))
                .filter(advice -> names.contains(optionIn(advice)))
                .or(() -> nearestOption(name, names).map(best -> "did you mean " + best + "?"));
    }

    /** Compares without hyphens: they would make every short option similar to every other. */
    private static Optional<String> nearestOption(String name, List<String> names) {
        return EditDistance.nearest(
                        name.replaceFirst("^-+", ""),
                        names.stream()
                                .filter(each -> each.startsWith("--"))
                                .map(each -> each.substring(2))
                                .toList())
                .map(best -> "--" + best);
    }

    static String optionIn(String advice) {
        return OPTION.matcher(advice).results().map(found -> found.group()).findFirst().orElse("");
    }

    /** Returns advice for an unknown command; a URL is meant to be crawled. */
    static Optional<String> forCommand(String given, CommandSpec parent) {
        return given.startsWith("http://") || given.startsWith("https://")
                ? Optional.of("did you mean: " + CommandHint.of("crawl", given))
                : EditDistance.nearest(given, parent.subcommands().keySet())
                        .map(best -> "did you mean " + best + "?");
    }
}
