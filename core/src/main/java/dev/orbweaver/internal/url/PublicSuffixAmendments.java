package dev.orbweaver.internal.url;

/**
 * What has changed in the public suffix list since the copy that crawler-commons 1.6 carries.
 *
 * <p>The library's copy is of 2025-11-27 (commit d3567de7); these rules lead from it to commit
 * e8c9a2b2. They are data of the public suffix list (publicsuffix.org), which is under the Mozilla
 * Public License 2.0. When a later crawler-commons carries them itself, this class is emptied.
 */
final class PublicSuffixAmendments {

    static final String ADDED =
            """
            *.aa.crm.dev *.ab.crm.dev *.ac.crm.dev *.ad.crm.dev *.ae.crm.dev *.af.crm.dev
            *.aivencloud.com *.ap-north-1.r.cloud.int.apple *.ap-south-1.r.cloud.int.apple
            *.ap-south-2.r.cloud.int.apple *.atlassian-3p-us-gov-mod.com *.atlassian-3p.com
            *.atlassian-isolated-3p.com *.begetcdn.cloud *.bwcloud-os-instance.de *.ci.crm.dev
            *.cloud.int.apple *.clusters.rdpa.co *.cn.st *.cursorusercontent.com
            *.eu-central-1.r.cloud.int.apple *.eu-north-1.r.cloud.int.apple
            *.metaaiusercontent.com *.pa.crm.dev *.pb.crm.dev *.pc.crm.dev *.pd.crm.dev
            *.pe.crm.dev *.pf.crm.dev *.r.cloud.int.apple *.srvrless.rdpa.co
            *.us-central-1.r.cloud.int.apple *.us-central-2.r.cloud.int.apple
            *.us-east-1.r.cloud.int.apple *.us-east-2.r.cloud.int.apple
            *.us-west-1.r.cloud.int.apple *.us-west-2.r.cloud.int.apple
            *.us-west-3.r.cloud.int.apple *.zerops.zone 1cooldns.com aberdeen.wa.us ae.kg
            aero.in ai.id alumni.in ams.scw.site antagonist.cloud appwrite.network audnedal.no
            auth.cognito-idp.eusc-de-east-1.on.amazonwebservices.eu bainbridge-isl.wa.us
            base44-sandbox.com base44.app bellevue.wa.us blob.core.usgovcloudapi.net book.online
            bremerton.wa.us bumbleshrimp.com canva.link cc.cd ccwu.cc centralia.wa.us
            chatgpt.site chehalis.wa.us claude.app claudeusercontent.com co.scot codepen.app
            codepen.dev com.kh corespeed.app cyb.ge ddns.berlin ddns.wtf ddnsguru.com ddnssec.de
            deployagent.com deployagent.space deuxfleurs.eu deuxfleurs.page dev.cv discourse.diy
            dnshome.at dnshome.cloud dnshome.eu dnshome.it drive-platform.com drive-platform.io
            dyn.now dyndnssec.de dynuddns.com dynuddns.net dynuhosting.com ec.cc edu.kh
            elastic.k2.cloud eliv-api.kr eu-west-1.convex.cloud eu-west-1.convex.site eu.cc
            exe.xyz file.core.usgovcloudapi.net file.core.windows.net forks.wa.us
            frame.claudeusercontent.com fspages.org gielda.no gig-harbor.wa.us gov.kh grok.me
            gu.cc gv.uy heimdns.de heimdns.online hercules-app.com hercules-dev.com here.now
            home64.de hoquiam.wa.us hstgr.cloud hue.vn imagine-proxy.work imagine.diy indevs.in
            int.apple intouch.email ipv64.de ipv64.net kdns.fr keenetic.io keenetic.link
            keenetic.name keenetic.pro keyport.wa.us kh khsj.cn kiloapps.ai kiloapps.io
            kingston.wa.us lb.ru-msk.k2.cloud lb.ru-spb.k2.cloud llc.ge magicpatterns.app
            magicpatternsapp.com me.scot miren.app miren.systems mkm.fan ms.fun ms.show my.be
            mybox.company mybox.me mybox.page mygov.scot mysynology.net net.kh nett.to
            olympia.wa.us on.expo.app on.staging.expo.app onhercules.app online-server.cloud
            online.ge opentunnel.xyz opik.net org.kh org.scot org.sk payload.dev piebox.site
            pivohosting.com playcode.site port-angeles.wa.us port-ludlow.wa.us
            port-orchard.wa.us port-townsend.wa.us poulsbo.wa.us pplx.app
            preview.emergentagent.com prg1-zerops.zone puter.app puter.site puter.work re.no
            redmond.wa.us renton.wa.us resolve.bar roxa.org
            s3-website.dualstack.us-gov-east-1.amazonaws.com
            s3-website.dualstack.us-gov-west-1.amazonaws.com s3.k2.cloud s3.ru-msk.k2.cloud
            s3.ru-spb.k2.cloud sandbox.deno.net sav.case sch.ac school.in scw.site sea.wa.us
            seattle.wa.us seprox.hooc.me sequim.wa.us shelton.wa.us shiptoday.app
            shiptoday.build silverdale.wa.us sol.site spawnbase.app sprites.app spryt.net
            srvdns.de sryze.cc store.cv su.it sud-sardegna.it sudsardegna.it suohkan.no
            t3.storage.dev t3.storageapi.dev tjielte.no tnx.ge
            transfer-webapp.ap-southeast-7.on.aws transfer-webapp.mx-central-1.on.aws ub.in
            uenorge.no uk.cc ulstein.no us-east-1.convex.cloud us-east-1.convex.site us.cc us.ci
            usgovtrafficmanager.net verbano-cusio-ossola.it vibehost.space vicp.fun
            vivenushop.com vivenushop.dev vps.hrsn.net waw.scw.site web
            web.core.usgovcloudapi.net web.core.windows.net website.k2.cloud
            website.ru-msk.k2.cloud website.ru-spb.k2.cloud wiredbladehosting.com
            xn--hamary-fya.no xn--karlsy-fya.no yarrow-point.wa.us yicp.fun zicp.fun
            """;

    static final String REMOVED =
            """
            *.cns.joyent.com *.cryptonomic.net *.kh *.on-acorn.io 12chars.dev 12chars.it
            12chars.pro ac.tj adaptable.app aivencloud.com api.stdlib.com aquila.it audnedaln.no
            biz.at bookonline.app cc.nd.us cloudapps.digital dd-dns.de deta.app deta.dev
            dh.bytemark.co.uk diskstation.eu diskstation.org dray-dns.de draydns.de dyn-vpn.de
            dynvpn.de edgeapp.net en-root.fr frei.no goo hzc.io info.at lib.nd.us lk3.ru
            london.cloudapps.digital mayfirst.org mazeplay.com mein-vigor.de my-vigor.de
            my-wan.de on.crisp.email onavstack.net onfabrica.com pagexl.com perso.sn platterp.us
            protonet.io reserve-online.com shw.io skygearapp.com storipress.app storj.farm
            syno-ds.de synology-diskstation.de synology-ds.de translated.page
            trentinosudtirol.it uk0.bigv.io valdaosta.it vm.bytemark.co.uk vps.hrsn.au
            wolterskluwer
            """;

    private PublicSuffixAmendments() {}
}
