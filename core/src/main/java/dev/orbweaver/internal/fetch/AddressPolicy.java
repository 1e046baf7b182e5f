package dev.orbweaver.internal.fetch;

import dev.orbweaver.model.AddressRange;
import dev.orbweaver.model.CrawlUrl;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Decides which addresses may be connected to: public ones, and those that the operator allows.
 * Link-local addresses and metadata services expose a machine's credentials, so only a range that
 * names them explicitly allows them.
 *
 * @param allowPrivate whether private, loopback and other special addresses are allowed
 * @param origins origins whose special addresses are allowed, in the form of {@link
 *     CrawlUrl#origin}
 */
public record AddressPolicy(boolean allowPrivate, List<AddressRange> ranges, Set<String> origins) {

    public static final AddressPolicy PUBLIC = new AddressPolicy(false, List.of(), Set.of());

    public AddressPolicy {
        ranges = List.copyOf(ranges);
        origins = Set.copyOf(origins);
    }

    /** Returns why a URL may not be requested from an address; empty if it may be. */
    public Optional<String> refusalReason(CrawlUrl url, InetAddress address) {
        return refusalReason(
                address, allowPrivate || (!origins.isEmpty() && origins.contains(url.origin())));
    }

    /** Returns why an address may not be connected to for any URL; empty if it may be. */
    public Optional<String> refusalReason(InetAddress address) {
        return refusalReason(address, allowPrivate);
    }

    private Optional<String> refusalReason(InetAddress address, boolean trusted) {
        return AddressGuard.classify(address)
                .filter(specialAddress -> specialAddress.reserved() || !trusted)
                .filter(
                        _ ->
                                ranges.stream()
                                        .noneMatch(range -> range.contains(address.getAddress())))
                .map(AddressGuard.SpecialAddress::reason);
    }
}
