package dev.windrow.tests.http;

/** The same in another container. */
class RawRequestInTomcatTest extends RawRequestTest {
    @Override
    Container container() {
        return Container.TOMCAT;
    }
}
