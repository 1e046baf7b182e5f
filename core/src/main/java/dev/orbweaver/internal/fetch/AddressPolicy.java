package dev.orbweaver.internal.fetch;

import dev.orbweaver.model.AddressRange;
import dev.orbweaver.model.CrawlUrl;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Which addresses may be connected to: public ones, and what an operator allows. Link-local
 * addresses and metadata services reveal a machine's credentials; only a range that names them
 * allows them.
 *
 * @param allowPrivate private, loopback and other special addresses are allowed
 * @param origins whose special addresses are allowed, as {@link CrawlUrl#origin} writes them
 */
public record AddressPolicy(boolean allowPrivate, List<AddressRange> ranges, Set<String> origins) {

    public static final AddressPolicy PUBLIC = new AddressPolicy(false, List.of(), Set.of());

    public AddressPolicy {
        ranges = List.copyOf(ranges);
        origins = Set.copyOf(origins);
    }

    /** Why a URL may not be requested from an address; empty if it may. */
    public Optional<String> refusalReason(CrawlUrl url, InetAddress address) {
        return refusalReason(
                address, allowPrivate || (!origins.isEmpty() && origins.contains(url.origin())));
    }

    /** Why an address may not be connected to, whatever is requested there; empty if it may. */
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
